import { defineTool, failure } from "@toolmount/core";
import { z } from "zod";
import { createCarFacts } from "./car-facts.ts";
import type { Car } from "./car-state.ts";
import { createRandom } from "./random.ts";
import { answer, error, read, write, type Entry, type Service } from "./service.ts";

const memberNames = [
  "fuelLevel",
  "batteryVoltage",
  "engine_state",
  "remainingUnlockedDoors",
  "doorStatus",
  "acTemperature",
  "fanSpeed",
  "acMode",
  "humidityLevel",
  "headLightStatus",
  "parkingBrakeStatus",
  "parkingBrakeForce",
  "slopeAngle",
  "brakePedalStatus",
  "brakePedalForce",
  "distanceToNextVehicle",
  "cruiseStatus",
  "destination",
  "frontLeftTirePressure",
  "frontRightTirePressure",
  "rearLeftTirePressure",
  "rearRightTirePressure",
];

/** The controls of a car. */
export function createCar(configuration: Entry): Service {
  const members = memberNames.map((name) => [name, configuration[name]!] as const);
  const car = Object.fromEntries(members) as Car;
  if (configuration["engineState"] !== undefined) car["engine_state"] = configuration["engineState"];
  car.remainingUnlockedDoors = 4 - Object.values(car.doorStatus).filter((door) => door === "locked").length;
  const random = createRandom(Number(configuration["random_seed"] ?? 141_053));
  return {
    tools: [
      startEngine(car),
      fill(car),
      lockDoors(car),
      climate(car),
      headlights(car),
      parkingBrake(car),
      ...brakeTools(car),
      cruise(car),
      navigate(car),
      status(car),
      tires(car),
      ...createCarFacts(car, random),
    ],
    state: () => car,
  };
}

const numberOf = (car: Car, name: string) => car[name] as number;

function startEngine(car: Car) {
  return defineTool({
    ...write,
    name: "startEngine",
    description: "Starts the engine.",
    schema: z.strictObject({ ignitionMode: z.string().describe("START or STOP") }),
    execute: ({ ignitionMode }) => {
      if (ignitionMode === "STOP") car["engine_state"] = "stopped";
      if (car.remainingUnlockedDoors > 0) {
        const doors = Object.keys(car.doorStatus).filter((door) => car.doorStatus[door] === "unlocked");
        return error(
          `All doors must be locked before starting the engine. Here are the unlocked doors: ${doors.join(", ")}`,
        );
      }
      if (car["brakePedalStatus"] !== "pressed")
        return error("Brake pedal needs to be pressed when starting the engine.");
      if (car["brakePedalForce"] !== 1000)
        return error("Must press the brake fully before starting the engine.");
      if (numberOf(car, "fuelLevel") < 0) return error("Fuel tank is empty.");
      if (ignitionMode !== "START") return error("Invalid ignition mode.");
      car["engine_state"] = "running";
      return answer({
        engineState: "running",
        fuelLevel: car["fuelLevel"]!,
        batteryVoltage: car["batteryVoltage"]!,
      });
    },
  });
}

function fill(car: Car) {
  return defineTool({
    ...write,
    name: "fillFuelTank",
    description: "Fills fuel into the tank, which holds 50 gallons.",
    schema: z.strictObject({ fuelAmount: z.number() }),
    execute: ({ fuelAmount }) => {
      if (fuelAmount < 0) return error("Fuel amount cannot be negative.");
      const level = numberOf(car, "fuelLevel") + fuelAmount;
      if (level > 50) return error("Cannot fill gas above the tank capacity.");
      car["fuelLevel"] = level;
      return answer({ fuelLevel: level });
    },
  });
}

function lockDoors(car: Car) {
  return defineTool({
    ...write,
    name: "lockDoors",
    description: "Locks or unlocks doors.",
    schema: z.strictObject({
      unlock: z.boolean().describe("true unlocks"),
      door: z.array(z.string()).describe("driver, passenger, rear_left, rear_right"),
    }),
    execute: ({ unlock, door: doors }) => {
      const wanted = unlock ? "unlocked" : "locked";
      for (const door of doors) {
        // Doors before this one stay changed.
        if (!Object.hasOwn(car.doorStatus, door)) return failure(`no door "${door}"`, { code: "NO_DOOR" });
        if (car.doorStatus[door] === wanted) continue;
        car.doorStatus[door] = wanted;
        car.remainingUnlockedDoors += unlock ? 1 : -1;
      }
      return answer({ lockStatus: wanted, remainingUnlockedDoors: car.remainingUnlockedDoors });
    },
  });
}

function climate(car: Car) {
  return defineTool({
    ...write,
    name: "adjustClimateControl",
    description: "Sets the air conditioning.",
    schema: z.strictObject({
      temperature: z.number(),
      unit: z.string().default("celsius"),
      fanSpeed: z.int().default(50).describe("0 to 100"),
      mode: z.string().default("auto"),
    }),
    execute: ({ temperature, unit, fanSpeed, mode }) => {
      if (fanSpeed < 0 || fanSpeed > 100) return error("Fan speed must be between 0 and 100.");
      car["acTemperature"] = unit === "fahrenheit" ? ((temperature - 32) * 5) / 9 : temperature;
      car["fanSpeed"] = fanSpeed;
      car["acMode"] = mode;
      return answer({
        currentACTemperature: temperature,
        climateMode: mode,
        humidityLevel: car["humidityLevel"]!,
      });
    },
  });
}

function headlights(car: Car) {
  return defineTool({
    ...write,
    name: "setHeadlights",
    description: "Switches the headlights.",
    schema: z.strictObject({ mode: z.string().describe("on, off or auto") }),
    execute: ({ mode }) => {
      if (!["on", "off", "auto"].includes(mode)) return error("Invalid headlight mode.");
      const headlightStatus = mode === "on" ? "on" : "off";
      car["headLightStatus"] = headlightStatus;
      return answer({ headlightStatus });
    },
  });
}

function parkingBrake(car: Car) {
  return defineTool({
    ...write,
    name: "activateParkingBrake",
    description: "Engages or releases the parking brake.",
    schema: z.strictObject({ mode: z.string().describe("engage or release") }),
    execute: ({ mode }) => {
      if (mode !== "engage" && mode !== "release") return error("Invalid mode");
      const [brake, force] = mode === "engage" ? ["engaged", 500] : ["released", 0];
      car["parkingBrakeStatus"] = brake!;
      car["parkingBrakeForce"] = force!;
      car["slopeAngle"] = 10;
      return answer({ parkingBrakeStatus: brake, _parkingBrakeForce: force, _slopeAngle: 10 });
    },
  });
}

function brakeTools(car: Car) {
  const setPedal = (position: number) => {
    car["brakePedalStatus"] = position === 0 ? "released" : "pressed";
    car["brakePedalForce"] = position * 1000;
    return answer({ brakePedalStatus: car["brakePedalStatus"], brakePedalForce: car["brakePedalForce"] });
  };
  return [
    defineTool({
      ...write,
      name: "pressBrakePedal",
      description: "Presses the brake pedal.",
      schema: z.strictObject({ pedalPosition: z.number().describe("0 to 1") }),
      execute: ({ pedalPosition }) =>
        pedalPosition < 0 || pedalPosition > 1
          ? error("Pedal position must be between 0 and 1.")
          : setPedal(pedalPosition),
    }),
    defineTool({
      ...write,
      name: "releaseBrakePedal",
      description: "Releases the brake pedal.",
      schema: z.strictObject({}),
      execute: () => setPedal(0),
    }),
  ];
}

function cruise(car: Car) {
  return defineTool({
    ...write,
    name: "setCruiseControl",
    description: "Switches the cruise control.",
    schema: z.strictObject({
      speed: z.number().describe("0 to 120, a multiple of 5"),
      activate: z.boolean(),
      distanceToNextVehicle: z.number(),
    }),
    execute: ({ speed, activate, distanceToNextVehicle }) => {
      if (car["engine_state"] === "stopped")
        return error("Start the engine before activating the cruise control.");
      // The distance is kept, also when the speed is refused.
      car["distanceToNextVehicle"] = distanceToNextVehicle;
      if (activate && (speed < 0 || speed > 120 || speed % 5 !== 0)) return error("Invalid speed");
      const cruiseStatus = activate ? "active" : "inactive";
      car["cruiseStatus"] = cruiseStatus;
      return answer({ cruiseStatus, currentSpeed: speed, distanceToNextVehicle });
    },
  });
}

function navigate(car: Car) {
  return defineTool({
    ...write,
    name: "set_navigation",
    description: "Sets the destination.",
    schema: z.strictObject({ destination: z.string() }),
    execute: ({ destination }) => {
      car["destination"] = destination;
      return answer({ status: `Navigating to ${destination}` });
    },
  });
}

/** By option: the names in the answer, each with the member that it shows. */
const shown: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fuel: { fuelLevel: "fuelLevel" },
  battery: { batteryVoltage: "batteryVoltage" },
  doors: { doorStatus: "doorStatus" },
  climate: {
    currentACTemperature: "acTemperature",
    fanSpeed: "fanSpeed",
    climateMode: "acMode",
    humidityLevel: "humidityLevel",
  },
  headlights: { headlightStatus: "headLightStatus" },
  parkingBrake: {
    parkingBrakeStatus: "parkingBrakeStatus",
    parkingBrakeForce: "parkingBrakeForce",
    slopeAngle: "slopeAngle",
  },
  brakePedal: { brakePedalStatus: "brakePedalStatus", brakePedalForce: "brakePedalForce" },
  engine: { engineState: "engine_state" },
};

function status(car: Car) {
  return defineTool({
    ...read,
    name: "displayCarStatus",
    description: "Shows one part of the car's status.",
    schema: z.strictObject({ option: z.string().describe(Object.keys(shown).join(", ")) }),
    execute: ({ option }) => {
      if (!Object.hasOwn(shown, option)) return error("Invalid option");
      const members = Object.entries(shown[option]!).map(([name, from]) => [name, car[from]!] as const);
      return answer(structuredClone(Object.fromEntries(members)));
    },
  });
}

const tireNames = [
  "frontLeftTirePressure",
  "frontRightTirePressure",
  "rearLeftTirePressure",
  "rearRightTirePressure",
];

function tires(car: Car) {
  return defineTool({
    ...read,
    name: "check_tire_pressure",
    description: "Shows the pressure of all tires.",
    schema: z.strictObject({}),
    execute: () => {
      const mean = tireNames.reduce((sum, name) => sum + numberOf(car, name), 0) / 4;
      const pressures = Object.fromEntries(tireNames.map((name) => [name, car[name]!] as const));
      return answer({ ...pressures, healthy_tire_pressure: mean >= 30 && mean <= 35, car_info: {} });
    },
  });
}
