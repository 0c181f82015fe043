import SaunterCore

extension Participant {
    /// Access tokens live for minutes: between two acts they have mostly run out, and a phone does not wait for the last second. After months
    /// the others have, too, and the person logs in again.
    mutating func signIn(at now: Instant) async throws {
        guard let tokens, now.adding(seconds: 30) >= tokens.expireAt else { return }
        var reply = try await server.send(
            "POST", "/v1/tokens/refresh", body: ["refresh_token": .string(tokens.refresh)])
        if reply.status == 401 { reply = try await logIn() }
        guard reply.isSuccess else { throw ServerRefusal(request: "POST /v1/tokens/refresh", reply: reply) }
        keep(reply.json, at: now)
    }

    func logIn() async throws -> ServerReply {
        try await server.demand(
            "POST", "/v1/tokens",
            body: ["email": .string(person.email), "password": .string(password)])
    }

    mutating func keep(_ pair: JSON, at now: Instant) {
        tokens = (
            pair["access_token"]?.string ?? "", pair["refresh_token"]?.string ?? "",
            now.adding(seconds: pair["expires_in"]?.int ?? 0)
        )
    }
}
