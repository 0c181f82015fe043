import SaunterCohort
import SaunterCore

/// A participant of the cohort, logged in.
struct Walker {
    let token: String
    let enrolment: String

    init(_ login: JSON, at url: String) async throws {
        let client = ServerClient(url: url)
        let pair = try await client.demand(
            "POST", "/v1/tokens",
            body: ["email": login["participant"] ?? .null, "password": login["password"] ?? .null])
        token = pair.json["access_token"]?.string ?? ""
        let enrolments = try await client.demand("GET", "/v1/enrolments", token: token)
        enrolment = enrolments.json["items"]?.array?.first?["enrolment_id"]?.string ?? ""
    }
}
