import { Lease } from './lease';
import { pause } from './pause';

// What one tab stored before it let go is seen by the next one a moment later: nothing orders local storage and locks.
const settle = 50;

/** Runs `work` while no other tab of this browser runs work of that name. */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  // Locks are for secure contexts only; plain HTTP off loopback has none.
  if (navigator.locks) return navigator.locks.request(name, () => pause(settle).then(work));
  const lease = new Lease(name);
  while (!(await lease.take())) await lease.changed();
  const release = lease.keep();
  try {
    return await work();
  } finally {
    release();
  }
}
