/** Days of the week in their order, as the server names them. */
export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** A time of day on some days of the week, by the clock on the wall. No days means every day; equal times, a whole day. */
export interface Hours {
  days: readonly string[];
  from: string;
  to: string;
}

/** The hours that most people mean when they first think of hours. */
export const office: Hours = { days: weekdays.slice(0, 5), from: '09:00', to: '17:00' };

/** How many hours one thing can have. */
export const mostHours = 20;
