// Receives what a webhook subscription sends. NIGHTBELL_WEBHOOK_SECRET is what creating it answered.
//#region verify
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const key = Buffer.from(process.env.NIGHTBELL_WEBHOOK_SECRET.replace('whsec_', ''), 'base64');

/** Whether Nightbell sent this body, in the last five minutes. */
function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': sent, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(sent)) < 300)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${sent}.`).update(body).digest();
  // While a secret is being changed there are two, with a space between them.
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
//#endregion

//#region receive
const seen = new Set(); // an event may come twice: a program that must not act twice keeps these
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()); // as it came: the signature is over these bytes
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  const event = JSON.parse(body);
  if (!seen.has(request.headers['webhook-id']))
    console.log(event.type, event.data.incident?.title ?? '', event.data.message);
  seen.add(request.headers['webhook-id']);
  response.writeHead(204).end();
});
server.listen(process.env.PORT ?? 3000, '127.0.0.1');
//#endregion
