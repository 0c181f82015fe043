import SaunterCore

extension Participant {
    /// Refreshes the access token if it expires within 30 s. Access tokens live for minutes, so most have expired since
    /// the last action. If the refresh token has expired too, the participant logs in again.
    mutating func signIn(at now: Instant) async throws {
        guard let tokens, now.adding(seconds: 30) >= tokens.expireAt else { return }
        var reply = try await server.send(
            "POST", "/v1/tokens/refresh", body: ["refresh_token": .string(tokens.refresh)])
        if reply.status == 401 { reply = try await logIn() }
        guard reply.isSuccess else { throw ServerRefusal(request: "POST /v1/tokens/refresh", reply: reply) }
        storeTokens(reply.json, at: now)
    }

    func logIn() async throws -> ServerReply {
        try await server.sendSuccessfully(
            "POST", "/v1/tokens",
            body: ["email": .string(person.email), "password": .string(password)])
    }

    mutating func storeTokens(_ pair: JSON, at now: Instant) {
        tokens = (
            pair["access_token"]?.string ?? "", pair["refresh_token"]?.string ?? "",
            now.adding(seconds: pair["expires_in"]?.int ?? 0)
        )
    }
}
