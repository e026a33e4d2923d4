/**
 * The simulated facilitator and chain for tests, with the faults that real ones have shown.
 *
 * @module
 */
export {
  layerLedger,
  type Misbehaviour,
  type SimulationOptions,
} from "../../../src/payments/simulated/facilitator.ts"
