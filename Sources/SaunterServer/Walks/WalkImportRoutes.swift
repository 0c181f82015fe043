import HTTPTypes
import SaunterCore
import SaunterRecordings
import SaunterStore

/// The route that imports walks from recordings of watches and phones.
struct WalkImportRoutes: Sendable {
    let context: ServerContext

    /// The accepted media types, with the recording format that each one announces; nil if it announces none.
    private static let mediaTypes: [(type: String, format: RecordingFormat?)] = [
        ("application/vnd.garmin.tcx+xml", .tcx), ("application/gpx+xml", .gpx),
        ("application/vnd.ant.fit", .fit),
        ("application/xml", nil), ("text/xml", nil), ("application/octet-stream", nil),
    ]
    /// The largest number of walks in one file. For more walks, the client sends a shorter export.
    private static let maximumWalks = 500

    var create: Route {
        Route(
            .post, "/v1/enrolments/{id}/walk-imports", who: .participant, tag: "Walks",
            summary: "Import walks from a recording",
            description: """
                The body is a TCX, GPX or FIT file, or the export.xml of HealthKit. The server validates and stores \
                each walk in the file like a single submission. It derives the id of a walk from the recording, so \
                importing the same file again changes nothing. It keeps the sport that a TCX, GPX or FIT file names. From \
                an export of HealthKit it reads only walks, hikes and runs. The mean heart rate is weighted by time; a gap of more \
                than 30 seconds has no weight.
                """,
            parameters: [.enrolment],
            query: [
                QueryParameter(
                    "format", .string(values: RecordingFormat.allCases.map(\.rawValue)),
                    "The format that the file must have. If omitted, the server detects the format."),
                QueryParameter(
                    "time_zone", .zone,
                    "The time zone of the participant during the walks. If omitted, the time zone of the enrolment."
                ),
            ],
            body: .file(Self.mediaTypes.map(\.type), limit: BodyRule.walkLimit),
            outcomes: [
                .json(.created, "The import stored at least one new walk.", Self.schema),
                .json(
                    .ok, "The import stored no new walk; every acceptable walk was already stored.",
                    Self.schema),
            ],
            problems: [
                .recordingInvalid, .walkInvalid, .idReused, .enrolmentWithdrawn, .notFound, .busy,
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let zone = call.query("time_zone").flatMap { Zone($0) } ?? enrolment.zone
            let recording = try Self.recording(call)
            var results: [RecordResult] = []
            for walk in recording.walks {
                results.append(
                    await RecordResult(id: walk.id.description, logger: call.logger) {
                        try await put(walk, zone, enrolment, call)
                    })
            }
            let isNew = results.contains(where: \.isNew)
            if !isNew, results.allSatisfy({ $0.problem != nil }), let problem = results.first?.problem {
                throw problem
            }
            return .json(
                isNew ? .created : .ok,
                [
                    "format": .string(recording.format.rawValue), "remarks": .strings(recording.remarks),
                    "items": .array(
                        results.map { $0.json(call, publicURL: context.configuration.publicURL) }),
                ])
        }
    }

    /// Stores one walk of a recording. A walk that is already stored is confirmed unchanged, even if the file is
    /// imported with another time zone, if a later export contains more of the walk, or if the participant deleted the
    /// walk.
    private func put(
        _ walk: RecordedWalk, _ zone: Zone, _ enrolment: Enrolment, _ call: Call<Identity>
    ) async throws -> RecordReceipt {
        if let stored = try await context.store.findWalk(enrolment.id, walk.id, includingDeleted: true) {
            return RecordReceipt(WalkResponse.receipt(stored, replayed: true), .replayed)
        }
        return try await WalkService(context: context)
            .put(walk.id.uuid, walk.json(zone: zone), of: enrolment, now: call.now)
    }

    private static func recording(_ call: Call<Identity>) throws(Problem) -> Recording {
        let type = BodyHeaders.mediaType(call.headers)
        let announced = mediaTypes.first { $0.type == type }?.format
        let wanted = call.query("format").flatMap { RecordingFormat(rawValue: $0) }
        do {
            let recording = try Recording(.bytes(call.rawBody), format: wanted ?? announced)
            guard recording.walks.count <= maximumWalks else {
                throw RecordingFault(
                    "the file contains \(recording.walks.count) walks; one import accepts at most \(maximumWalks)"
                )
            }
            return recording
        } catch {
            throw Problem(
                .recordingInvalid, Faults([Fault(pointer: "", code: "unreadable", detail: "\(error)")]))
        }
    }

    private static let schema = Schema.named(
        "WalkImport",
        .object([
            .required(
                "format", .string(values: RecordingFormat.allCases.map(\.rawValue)),
                "The format that the server recognised."),
            .required(
                "remarks", .array(of: .string()),
                "Notes on the parts of the file that the server could not use."),
            .required(
                "items", .array(of: RecordResult.schema(WalkResponse.receiptSchema)),
                "One result for each walk, in the order in which the walks started."),
        ]))
}
