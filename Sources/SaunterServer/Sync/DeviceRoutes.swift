import HTTPTypes
import SaunterCore
import SaunterStore

/// The route that lists participants' devices with the sequence numbers that have arrived and those that are missing.
struct DeviceRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/devices", who: .researcher, tag: "Monitoring",
            summary: "List participants' devices and their missing submissions",
            description: """
                Lists each device that numbers its submissions, with the sequence numbers that have not arrived. After \
                a new installation of the app, the device has a new id and is listed separately.
                """,
            parameters: [.study], query: [Self.missing, .limit, .cursor],
            outcomes: [.json(.ok, "Devices, sorted by the participant's pseudonym.", .page(of: Self.schema))]
        ) { call in
            let study = try call.text("study")
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let found = try await context.store.listDevices(
                study, missing: call.queryBool("missing") ?? false, after: try Self.position(call),
                limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next =
                found.count > page.count
                ? page.last.map { Cursor([$0.participant, $0.device.id.description]) } : nil
            return .page(
                page.map(Self.json), next: next, path: "/v1/studies/\(study)/devices", query: call.pageQuery,
                publicURL: context.configuration.publicURL)
        }
    }

    private static let missing = QueryParameter(
        "missing", .boolean, "Whether only devices are listed of which a record has not arrived.")

    private static func position(_ call: Call<Identity>) throws -> (String, DeviceID)? {
        guard let cursor = try call.cursor(parts: 2) else { return nil }
        guard let device = DeviceID(cursor.parts[1]) else {
            throw Problem.invalidCursor
        }
        return (cursor.parts[0], device)
    }

    private static func json(_ entry: (participant: String, device: StoredDevice)) -> JSON {
        var object: JSONObject = ["participant_id": .string(entry.participant)]
        for member in DeviceResponse.members(entry.device) { object[member.name] = member.value }
        object["first_seen_at"] = .instant(entry.device.firstSeenAt)
        object["last_seen_at"] = .instant(entry.device.lastSeenAt)
        return .object(object)
    }

    private static let schema = Schema.named(
        "ParticipantDevice",
        .object(
            [
                .required(
                    "participant_id", .string(),
                    "The pseudonym of the participant, which also identifies them in datasets of the profiles coded and full."
                )
            ] + DeviceResponse.members + [
                .required("first_seen_at", .instant, "When the device first sent records."),
                .required("last_seen_at", .instant, "When the device last sent records."),
            ]))
}
