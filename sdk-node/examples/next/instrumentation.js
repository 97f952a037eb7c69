// Next.js finds this file by its name.
// #region middleware
export { onRequestError, register } from '@nightbell/node/next';
// #endregion
