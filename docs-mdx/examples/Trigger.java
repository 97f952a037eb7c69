// Opens an incident by plain HTTP. Run: java Trigger.java (Java 17 or newer)
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;

public class Trigger {
  // #region trigger
  static final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

  /** Returns the answer. However often it has to be sent, it is one incident: the id stays the same. */
  static String trigger(String json) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(System.getenv("NIGHTBELL_BASE_URL") + "/v1/events"))
            .timeout(Duration.ofSeconds(10))
            .header("Authorization", "Bearer " + System.getenv("NIGHTBELL_SERVICE_KEY"))
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", UUID.randomUUID().toString())
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build();
    for (int attempt = 1; ; attempt++) {
      String failure;
      try {
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        int status = answer.statusCode();
        if (status < 300) return answer.body();
        failure = status + ": " + answer.body();
        if (status < 500 && status != 429 && status != 409) throw new IllegalArgumentException(failure);
      } catch (IOException lost) { // the server may have it: send it again
        failure = lost.toString();
      }
      if (attempt == 5) throw new IOException(failure);
      Thread.sleep(250L << attempt);
    }
  }
  // #endregion

  public static void main(String[] arguments) throws Exception {
    // #region call
    System.out.println(
        trigger(
            """
            {"title": "Orders stopped", "severity": "critical",
             "tags": {"type": "business"}, "metadata": {"orders_count": 3}}
            """));
    // #endregion
  }
}
