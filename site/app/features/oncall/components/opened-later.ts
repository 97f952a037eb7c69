import { later } from '~/components/later';

/** What is opened by a press on several of the on-call pages. */
export const OverrideDialog = later('The form', () =>
  import('./override-dialog').then((chunk) => chunk.OverrideDialog),
);
export const ShiftPopover = later('The shift', () =>
  import('./shift-popover').then((chunk) => chunk.ShiftPopover),
);
