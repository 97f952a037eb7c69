// Tests a program that reports to Nightbell.
// #region testing
import assert from 'node:assert/strict';
import { createTestClient } from '@nightbell/node/testing';

const { client, incidents } = createTestClient();
client.enqueueIncident({ title: 'Payment failed', severity: 'high' });

const [incident] = await incidents();
assert.equal(incident?.title, 'Payment failed');
// #endregion
