<?php
// Opens an incident by plain HTTP. Run: php trigger.php (PHP 8.1 or newer)

// #region trigger
/** Returns the answer. However often it has to be sent, it is one incident: the id stays the same. */
function trigger(array $event): array
{
    $headers = [
        'Authorization: Bearer ' . getenv('NIGHTBELL_SERVICE_KEY'),
        'Content-Type: application/json',
    ];
    $id = random_bytes(16); // a UUID of version 4
    $id[6] = chr(ord($id[6]) & 0x0f | 0x40);
    $id[8] = chr(ord($id[8]) & 0x3f | 0x80);
    $event['id'] = vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($id), 4));
    for ($attempt = 1; ; $attempt++) {
        $answer = @file_get_contents(getenv('NIGHTBELL_BASE_URL') . '/v1/events', false, stream_context_create(['http' => [
            'method' => 'POST',
            'header' => $headers,
            'content' => json_encode($event, JSON_THROW_ON_ERROR),
            'timeout' => 10,
            'ignore_errors' => true,
        ]]));
        $status = $answer === false ? 0 : (int) explode(' ', $http_response_header[0])[1];
        if ($status >= 200 && $status < 300) {
            return json_decode($answer, true, flags: JSON_THROW_ON_ERROR);
        }
        $again = $status === 0 || $status === 409 || $status === 429 || $status >= 500;
        if (!$again || $attempt === 5) {
            throw new RuntimeException("Nightbell answered $status: $answer");
        }
        usleep(250_000 << $attempt); // without an answer the server may have it: send it again
    }
}
// #endregion

// #region call
$answer = trigger([
    'title' => 'Orders stopped',
    'severity' => 'critical',
    'tags' => ['type' => 'business'],
    'metadata' => ['orders_count' => 3],
]);
// #endregion
echo json_encode($answer), "\n";
