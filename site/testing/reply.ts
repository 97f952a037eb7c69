import { HttpResponse } from 'msw';

/**
 * An answer of the server. The message of the contract that it is must be named, as in
 * `reply<ListTeamsResponseJson>({ teams: [] })`, so that a field that is renamed there fails here.
 */
export function reply<Message extends object = never>(message: NoInfer<Message>): HttpResponse<Message> {
  return HttpResponse.json<Message>(message as never);
}
