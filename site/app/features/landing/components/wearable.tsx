import { Icon } from '~/components/ui/icon';

/** A page on a watch and on a locked phone. */
export function Wearable() {
  return (
    <section className="band" id="wearable">
      <div className="wrap wearable">
        <div>
          <h2>Answer from your wrist</h2>
          <p className="sub">
            A page reaches every screen that shows your notifications. One tap says "I have it".
          </p>
          <ul>
            <li>
              <Icon name="watch" />
              <p>
                <b>One decision per page.</b> What broke, how bad, one button.
              </p>
            </li>
            <li>
              <Icon name="moon" />
              <p>
                <b>Quiet for everyone else.</b> Only the person on call is woken.
              </p>
            </li>
            <li>
              <Icon name="phone" />
              <p>
                <b>Falls back to a call.</b> If no tap comes, the phone rings.
              </p>
            </li>
          </ul>
          <p className="size-13 text-3">
            The iPhone and Android apps are not in the stores yet. Until they are, pages come by the channels
            you set up, and the browser does the rest.
          </p>
        </div>
        <Devices />
      </div>
    </section>
  );
}

function Devices() {
  return (
    <div className="devices" aria-hidden="true">
      <div className="watch">
        <div>
          <small>
            <span>Nightbell</span>
            <span>03:08</span>
          </small>
          <b>Checkout payments failing</b>
          <em>Critical, eu-west-1</em>
          <span className="tap">Acknowledge</span>
        </div>
      </div>
      <div className="lock-screen">
        <p className="time">03:08</p>
        <p className="date">Wednesday 25 March</p>
        <div className="note">
          <small>
            <Icon name="logo" className="" />
            Nightbell<span>now</span>
          </small>
          <b>Critical: Checkout payments failing</b>
          38% of payments fail. You are on call.
        </div>
        <div className="note old">
          <small>
            <Icon name="logo" className="" />
            Nightbell<span>1h</span>
          </small>
          Priya Raman acknowledged #9a07
        </div>
      </div>
    </div>
  );
}
