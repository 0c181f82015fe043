/// The walkthrough of the reference page: what a participant's app does, in the order in which it does it.
enum Walkthrough {
    /// One step: its heading, and its text in the form of `ReferenceText`. Each route is named by method and path.
    struct Step {
        let title: String
        let text: String
    }

    static let steps: [Step] = [
        Step(
            title: "Register or log in",
            text: """
                `POST /v1/accounts` registers a participant, and `POST /v1/tokens` logs in. Both return an access token \
                and a refresh token. Send the access token with every request:

                    Authorization: Bearer eyJhbGciOiJFUzI1NiJ9…

                Store both tokens in the key store of the system, never in a log. The access token is valid for ten \
                minutes. After a 401 `token-invalid`, call `POST /v1/tokens/refresh`, and store the new pair \
                before you use it. If no response arrives, send the same refresh token again: it stays valid \
                until the new one is used. If the response is 401, ask the participant to log in. Keep the data \
                that have not been uploaded.
                """),
        Step(
            title: "Join a study",
            text: """
                `GET /v1/studies/{study}` returns the consent text and the questions about the participant that the \
                study asks before it allocates an arm. Show the text in full. `POST /v1/studies/{study}/enrolments` sends \
                the accepted version and returns the enrolment. Its id is part of all later addresses. If the study has \
                changed the text meanwhile, the response is 409 `consent-outdated`: show the new text.
                """),
        Step(
            title: "Show what is due",
            text: """
                `GET /v1/enrolments/{id}/overview` returns one entry for each questionnaire: whether it can be answered \
                now, for which occasion, and otherwise why not. Do not compute windows in the app, because the server \
                knows clock changes and journeys. `GET /v1/enrolments/{id}/occasions` returns the next days for local \
                reminders.

                `GET /v1/enrolments/{id}/questionnaires/{code}` returns the items. Store each version with its ETag, so \
                that it can be answered offline. Send the ETag in `If-None-Match`; a 304 has no body. Report a new time zone with `PATCH /v1/enrolments/{id}`.
                """),
        Step(
            title: "Keep records in a queue",
            text: """
                Create a UUID for each record when the participant finishes it, and write the record to a queue on the \
                device before you send anything. Take all instants from the device's clock. `client_now` is the \
                device's clock at the moment of sending, and the server corrects the other instants with it. Number \
                the records of the device from 1 in `sequence`; then the server can report which numbers have not \
                arrived.
                """),
        Step(
            title: "Upload the queue",
            text: """
                `POST /v1/enrolments/{id}/sync` uploads up to 500 records of all kinds in any order. Each item gets its \
                own result:

                    {"items": [{"kind": "walk", "id": "0193a1f0-…", "result": "accepted"}]}

                \(RecordResult.rule)

                If no response arrives, upload the same items again. The server recognises them by their ids, and \
                stores nothing twice. After a 429 or 503, wait for the number of seconds in `Retry-After`. Without \
                that header, double the waiting time after each attempt, and add a random part.
                """),
        Step(
            title: "Follow changes",
            text: """
                `GET /v1/enrolments/{id}/sync` returns what has changed since the last call, also by other devices of \
                the participant. Store `next_since` together with the changes. `PUT /v1/enrolments/{id}/events/{event}` \
                reports an event of the study, after which other occasions can follow.
                """),
        Step(
            title: "Leave the study",
            text: """
                `POST /v1/enrolments/{id}/withdrawal` ends the participation. The participant chooses whether the data \
                are kept, excluded or erased. `DELETE /v1/account` erases the account with all its data.
                """),
    ]
}
