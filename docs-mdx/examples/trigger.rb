# Opens an incident by plain HTTP. Run: ruby trigger.rb (Ruby 3.0 or newer)
require "json"
require "net/http"
require "securerandom"

# #region trigger
# Returns the answer. However often it has to be sent, it is one incident: the id stays the same.
def trigger(event)
  uri = URI("#{ENV.fetch("NIGHTBELL_BASE_URL")}/v1/events")
  request = Net::HTTP::Post.new(
    uri,
    "Authorization" => "Bearer #{ENV.fetch("NIGHTBELL_SERVICE_KEY")}",
    "Content-Type" => "application/json",
    "Idempotency-Key" => SecureRandom.uuid
  )
  request.body = JSON.generate(event)
  (1..5).each do |attempt|
    begin
      answer = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https", open_timeout: 5, read_timeout: 10) do |http|
        http.request(request)
      end
      return JSON.parse(answer.body) if answer.is_a?(Net::HTTPSuccess)

      failure = "Nightbell answered #{answer.code}: #{answer.body}"
      raise ArgumentError, failure unless %w[409 429].include?(answer.code) || answer.code.to_i >= 500
    rescue SystemCallError, IOError, Timeout::Error, SocketError => e # the server may have it: send it again
      failure = e.message
    end
    raise failure if attempt == 5

    sleep(0.25 * 2**attempt)
  end
end
# #endregion

# #region call
answer = trigger(
  title: "Orders stopped",
  severity: "critical",
  tags: { type: "business" },
  metadata: { orders_count: 3 }
)
# #endregion
puts JSON.generate(answer)
