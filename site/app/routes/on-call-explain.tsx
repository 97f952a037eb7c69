import { useQuery } from '@tanstack/react-query';
import { PageHead } from '~/components/layout/page-head';
import { Boundary } from '~/components/ui/boundary';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import * as cardKit from '~/components/ui/card.module.css';
import { BoneRows } from '~/components/ui/skeleton';
import { Failed, Loading } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { explanation } from '~/data/explain';
import { serviceList } from '~/data/services';
import { AnswerTimeline } from '~/features/explain/components/answer-timeline';
import { QuestionForm } from '~/features/explain/components/question-form';
import * as styles from '~/features/explain/components/question-form.module.css';
import { toAnswer } from '~/features/explain/model/answer';
import { asked, toParams, toQuestion } from '~/features/explain/model/question';
import { OncallNav } from '~/features/oncall/components/oncall-nav';
import { useAddressParams } from '~/lib/address-params';
import { reasonOf } from '~/lib/api';
import { copy } from '~/lib/copy';

export function clientLoader({ request }: { request: Request }) {
  const question = toQuestion(new URL(request.url).searchParams);
  return prefetch((client) => [client.query(explanation(asked(question))), client.query(serviceList)]);
}

// The question is in the address, which changes at once.
export const shouldRevalidate = () => false;

/** Who would be paged for a service and a severity at a time, and why. The address carries the question. */
export default function OnCallExplain() {
  const [params, setParams] = useAddressParams();
  const question = toQuestion(params);
  // The answer to the question before would look like the answer to this one.
  const answer = useQuery({ ...explanation(asked(question)), select: toAnswer });
  return (
    <>
      <PageHead title="Who would be paged?">
        <Button icon="link" onClick={() => copy(window.location.href)}>
          Copy link
        </Button>
      </PageHead>
      <OncallNav />
      <div className={styles.explain}>
        <Card title="Question" className={styles.questionCard}>
          <QuestionForm
            question={question}
            onAsk={(change) => setParams((now) => toParams({ ...toQuestion(now), ...change }))}
          />
          <p className={`${cardKit.pad} size-12 text-3`}>
            Asking pages nobody. The same rules decide the page when an incident opens.
          </p>
        </Card>
        <div aria-live="polite" aria-busy={answer.isFetching}>
          {answer.isPending && (
            <section className={cardKit.card}>
              <Loading what="the answer" quiet>
                <BoneRows count={8} />
              </Loading>
            </section>
          )}
          {answer.isError && (
            <section className={cardKit.card}>
              <Failed detail={reasonOf(answer.error)} onRetry={() => answer.refetch()}>
                {answer.error.message}
              </Failed>
            </section>
          )}
          {answer.data && !answer.isError && (
            <Boundary what="The answer">
              <AnswerTimeline answer={answer.data} />
            </Boundary>
          )}
        </div>
      </div>
    </>
  );
}
