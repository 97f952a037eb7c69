import type { SubmitEnquiryRequestJson } from '@nightbell/proto';
import { ApiError, messageOf, readJson, send } from '~/lib/api';

/** Leaves a question to sales or an address for news, and returns the server's thanks. Throws ApiError with the sentence to show. */
export async function createEnquiry(body: SubmitEnquiryRequestJson): Promise<string> {
  const response = await send({ method: 'POST', path: '/v1/enquiries', body, action: 'send this' });
  const message = messageOf(await readJson(response));
  if (response.ok && message) return message;
  throw new ApiError(message || 'This could not be sent. Please try again.', response.status);
}
