import { Lease, settle } from './lease';
import { pause } from './pause';

/** Runs `work` while no other tab of this browser runs work of that name. */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  // Locks are for secure contexts only; plain HTTP off loopback has none, and uses a lease.
  // What one tab stored before it let go is seen by the next a moment later: nothing orders storage and locks.
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
