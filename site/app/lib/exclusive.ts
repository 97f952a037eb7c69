// A tab that was closed while it held the lease must not hold up the others for longer.
const leaseFor = 15_000;
// What one tab writes is seen by another one a moment later, so a lease counts after this pause.
const settle = 100;
const askAgain = 150;

/**
 * Runs `work` while no other tab of this browser runs work of that name. Browsers give plain http
 * off loopback no locks; a lease in local storage stands in, which two tabs could rarely both hold.
 */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (navigator.locks) return navigator.locks.request(name, work);
  const key = `${name}_lease`;
  const lease = await takeLease(key);
  try {
    return await work();
  } finally {
    if (holderOf(key) === lease) localStorage.removeItem(key);
  }
}

async function takeLease(key: string): Promise<string> {
  const owner = String(crypto.getRandomValues(new Uint32Array(2)));
  for (;;) {
    if (holderOf(key) === null) {
      localStorage.setItem(key, JSON.stringify({ owner, until: Date.now() + leaseFor }));
      await pause(settle);
      // Of two tabs that wrote at once, the later one has it.
      if (holderOf(key) === owner) return owner;
    }
    await pause(askAgain);
  }
}

// Null also for a lease that ran out, or that claims to end later than any lease can.
function holderOf(key: string): string | null {
  try {
    const { owner, until } = JSON.parse(localStorage.getItem(key) ?? '{}');
    const left = Number(until) - Date.now();
    return left > 0 && left <= leaseFor ? String(owner) : null;
  } catch {
    return null;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
