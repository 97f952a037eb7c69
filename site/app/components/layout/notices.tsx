import type { GetInstallationResponseJson, NoticeJson } from '@nightbell/proto';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '~/components/ui/button';
import { Icon } from '~/components/ui/icon';
import { call, reasonOf } from '~/lib/api';
import { mayAct } from '~/lib/role';
import { toast } from '~/lib/toast';

const renewEvery = 30_000;

/** What keeps this installation from paging. */
const installation = queryOptions({
  queryKey: ['installation'],
  refetchInterval: renewEvery,
  queryFn: async ({ signal }): Promise<NoticeJson[]> => {
    const answer = await call<GetInstallationResponseJson>({
      method: 'GET',
      path: '/v1/installation',
      action: 'load notices',
      keepSession: true,
      signal,
    });
    return answer.notices ?? [];
  },
});

/** Stands above every page while something keeps this installation from paging. */
export function Notices() {
  const { data = [] } = useQuery(installation);
  return data.map(({ kind, message }) => (
    <div className="not-live needed" role="status" key={kind + message}>
      <Icon name="alert" />
      <span>{message}</span>
      {kind === 'restored_copy' && mayAct('admin') ? <ConfirmCopy /> : null}
    </div>
  ));
}

function ConfirmCopy() {
  const client = useQueryClient();
  const confirm = useMutation({
    mutationFn: () =>
      call({ method: 'POST', path: '/v1/installation/confirm', body: {}, action: 'confirm this copy' }),
    onSuccess: () => toast({ kind: 'success', title: 'Confirmed. Paging begins within seconds.' }),
    onError: (error) => toast({ kind: 'failure', title: reasonOf(error) }),
    onSettled: () => client.invalidateQueries(installation),
  });
  return (
    <Button onClick={() => confirm.mutate()} disabled={confirm.isPending}>
      This copy replaces the original
    </Button>
  );
}
