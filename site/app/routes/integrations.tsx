import { PageHead } from '~/components/layout/page-head';
import { IntegrationCards } from '~/features/integrations/components/integration-cards';

/** What rings the bell, and where it is heard. */
export default function Integrations() {
  return (
    <>
      <PageHead title="Integrations" />
      <IntegrationCards />
    </>
  );
}
