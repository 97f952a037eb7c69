// Records a deployment.
import { Nightbell } from '@nightbell/node';

const client = new Nightbell();

// #region change
client.recordChange({
  summary: 'Deploy 2026.11.3',
  kind: 'deployment',
  version: '2026.11.3',
  author: 'ada',
});
// #endregion
