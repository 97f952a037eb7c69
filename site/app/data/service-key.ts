import type { GetServiceKeyResponseJson } from '@nightbell/proto';
import { useMutation } from '@tanstack/react-query';
import { call } from '~/lib/api';

/** Where the senders of a service call, and the key that they call with. */
export interface ServiceKey {
  /** The address of this server, without a path. */
  base: string;
  key: string;
  /** The whole webhook address, with the key in it. */
  url: string;
}

/** The mutation that reads the key of a service. Each time is in the audit log, so it is asked for on demand. */
export function useServiceKey(serviceId: string) {
  return useMutation({
    mutationFn: async (): Promise<ServiceKey> => {
      const answer = await call<GetServiceKeyResponseJson>({
        method: 'GET',
        path: `/v1/services/${encodeURIComponent(serviceId)}/key`,
        action: "read the service's key",
        timeout: 10_000, // asked once: each reading is in the audit log
        keepSession: true,
      });
      const url = answer.webhook_url ?? '';
      return { base: url.replace(/\/v1\/.*$/, ''), key: answer.service_key ?? '', url };
    },
  });
}
