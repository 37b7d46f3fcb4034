// Loaded before everything else: the clock stands QUIRE_TEST_CLOCK_MS beside the real one, and SIGUSR2 moves it to the other side.
let shiftMs = Number(process.env.QUIRE_TEST_CLOCK_MS ?? 0)
const real = Date.now
const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...words) {
    if (words.length === 0) super(real() + shiftMs)
    else super(...words)
  }
  static now() {
    return real() + shiftMs
  }
}
process.on('SIGUSR2', () => {
  shiftMs = -shiftMs
})
