/** Answers nothing yet. */
export function answer(_request, response) {
  response.writeHead(501).end('{}');
}
