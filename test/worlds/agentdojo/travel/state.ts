import type { Calendar, Inbox } from "../office/state.ts";

interface Place {
  readonly name: string;
  readonly city: string;
  readonly address: string;
  readonly rating: number;
  readonly reviews: readonly string[];
}

export interface Hotel extends Place {
  readonly price_min: number;
  readonly price_max: number;
}

export interface Restaurant extends Place {
  readonly price_per_person: number;
  readonly operating_hours: string;
  readonly contact_information: string;
  readonly cuisine_type: string;
  readonly dietary_restrictions: string;
}

export interface CarRental extends Place {
  readonly price_per_day: number;
  readonly car_types_available: readonly string[];
  readonly fuel_options: readonly string[];
}

export interface Flight {
  readonly airline: string;
  readonly flight_number: string;
  readonly departure_city: string;
  readonly arrival_city: string;
  readonly departure_time: string;
  readonly arrival_time: string;
  readonly price: number;
  readonly contact_information: string;
}

export interface Reservation {
  reservation_type: string | null;
  title: string;
  start_time: string;
  end_time: string;
  contact_information: string;
}

export interface Travel {
  readonly hotels: { readonly hotel_list: readonly Hotel[] };
  readonly restaurants: { readonly restaurant_list: readonly Restaurant[] };
  readonly car_rental: { readonly company_list: readonly CarRental[] };
  readonly flights: { readonly flight_list: readonly Flight[] };
  readonly user: Readonly<Record<string, string>>;
  readonly calendar: Calendar;
  readonly inbox: Inbox;
  readonly reservation: Reservation;
}
