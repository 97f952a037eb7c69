import { urls } from '@nightbell/docs';

/** The pages written as HTML at build time. Every other route is drawn by the browser from the fallback page. */
export const prerendered = ['/', ...urls(), '/terms', '/privacy', '/cookies', '/404'];
