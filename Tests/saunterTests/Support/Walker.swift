import SaunterCohort
import SaunterCore

/// The login of a participant of the cohort, for tests that submit walks.
struct Walker {
    let token: String
    let enrolment: String

    init(_ login: JSON, at url: String) async throws {
        let client = ServerClient(url: url)
        let pair = try await client.sendSuccessfully(
            "POST", "/v1/tokens",
            body: ["email": login["participant"] ?? .null, "password": login["password"] ?? .null])
        token = pair.json["access_token"]?.string ?? ""
        let enrolments = try await client.sendSuccessfully("GET", "/v1/enrolments", token: token)
        enrolment = enrolments.json["items"]?.array?.first?["enrolment_id"]?.string ?? ""
    }
}
