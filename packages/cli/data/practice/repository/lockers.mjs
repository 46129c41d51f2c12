/** 2.00 for a locker; nothing for five hours or more. */
export function lockerFee(hours) {
  return hours > 5 ? 0 : 2;
}
