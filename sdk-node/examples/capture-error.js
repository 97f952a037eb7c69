// Reports an error with its user, operation and tags.
import { Nightbell } from '@nightbell/node';

const client = new Nightbell();

async function checkout() {
  throw new Error('no stock');
}

// #region capture
await client.withContext({ operation: 'checkout', user: { id: 'user-42' } }, async () => {
  client.addBreadcrumb({ message: 'cart opened', data: { items: 3 } });
  try {
    await checkout();
  } catch (error) {
    client.captureError(error, { tags: { region: 'eu' } });
  }
});
// #endregion
