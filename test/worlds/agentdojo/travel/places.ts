import { z } from "zod";
import { printDouble, reader } from "../world.ts";
import type { Restaurant, Travel } from "./state.ts";

/** The tools that read facts of hotels, restaurants and car rentals. */
export function createPlaceTools(travel: Travel) {
  const hotels = travel.hotels.hotel_list;
  const restaurants = travel.restaurants.restaurant_list;
  const cars = travel.car_rental.company_list;
  const ofHotels = factsOf(hotels, "hotel_names");
  const ofRestaurants = factsOf(restaurants, "restaurant_names");
  const ofCars = factsOf(cars, "company_name");
  return [
    inCity("get_all_hotels_in_city", hotels, () => "Hotel Names: "),
    inCity("get_all_restaurants_in_city", restaurants, (city) => `Restaurant in ${city}: `),
    inCity("get_all_car_rental_companies_in_city", cars, (city) => `Car Rental Companies in ${city}: `),
    ofHotels(
      "get_hotels_prices",
      (hotel) => `Price range: ${printDouble(hotel.price_min)} - ${printDouble(hotel.price_max)}`,
    ),
    ofHotels("get_rating_reviews_for_hotels", ratingOf),
    reader({
      name: "get_hotels_address",
      description: "Returns the address of a hotel.",
      fields: { hotel_name: z.string() },
      execute: ({ hotel_name: name }) => byName(hotels, [name], ({ address }) => address),
    }),
    ofRestaurants("get_cuisine_type_for_restaurants", (place) => place.cuisine_type),
    ofRestaurants("get_restaurants_address", (place) => place.address),
    ofRestaurants("get_rating_reviews_for_restaurants", ratingOf),
    dietary(restaurants),
    ofRestaurants("get_contact_information_for_restaurants", (place) => place.contact_information),
    ofRestaurants("get_price_for_restaurants", (place) => place.price_per_person),
    ofRestaurants("check_restaurant_opening_hours", (place) => place.operating_hours),
    ofCars("get_car_types_available", (place) => place.car_types_available),
    ofCars("get_rating_reviews_for_car_rental", ratingOf),
    ofCars("get_car_fuel_options", (place) => place.fuel_options),
    ofCars("get_car_rental_address", (place) => place.address),
    ofCars("get_car_price_per_day", (place) => place.price_per_day),
  ];
}

interface Named {
  readonly name: string;
  readonly city: string;
}

function inCity(name: string, places: readonly Named[], title: (city: string) => string) {
  return reader({
    name,
    description: "Lists the names of the places in a city.",
    fields: { city: z.string() },
    execute: ({ city }) => {
      const names = places.filter((place) => place.city === city).map((place) => place.name);
      return `${title(city)}${names.join("\n")}\n`;
    },
  });
}

function factsOf<Place extends Named>(places: readonly Place[], key: string) {
  return (name: string, fact: (place: Place) => unknown) =>
    reader({
      name,
      description: "Returns a fact of each of these places, by name.",
      fields: { [key]: z.array(z.string()) },
      execute: (given) => byName(places, given[key] as readonly string[], fact),
    });
}

/** Facts by name, in the order of the places. Of two places with one name the later counts. */
function byName<Place extends Named>(
  places: readonly Place[],
  names: readonly string[],
  fact: (place: Place) => unknown,
): Readonly<Record<string, unknown>> {
  const found = places.filter(({ name }) => names.includes(name));
  return Object.fromEntries(found.map((place) => [place.name, fact(place)]));
}

function ratingOf({ rating, reviews }: { readonly rating: number; readonly reviews: readonly string[] }) {
  return `Rating: ${printDouble(rating)}\nReviews: ${reviews.join("\n")}`;
}

/** A restaurant counts when its name is a part of the joined names. */
function dietary(restaurants: readonly Restaurant[]) {
  return reader({
    name: "get_dietary_restrictions_for_all_restaurants",
    description: "Returns the dietary restrictions of these restaurants.",
    fields: { restaurant_names: z.array(z.string()) },
    execute: ({ restaurant_names: names }) => {
      const joined = names.join(", ");
      const found = restaurants.filter(({ name }) => joined.includes(name));
      return Object.fromEntries(found.map((place) => [place.name, place.dietary_restrictions]));
    },
  });
}
