import HTTPTypes
import SaunterCore
import SaunterRecordings
import SaunterStore

/// Recordings of watches and phones, which become walks.
struct WalkImportRoutes: Sendable {
    let context: ServerContext

    /// With the kind of recording that each announces; nil for those of any kind.
    private static let mediaTypes: [(type: String, format: RecordingFormat?)] = [
        ("application/vnd.garmin.tcx+xml", .tcx), ("application/gpx+xml", .gpx),
        ("application/vnd.ant.fit", .fit),
        ("application/xml", nil), ("text/xml", nil), ("application/octet-stream", nil),
    ]
    /// Walks of one file that are taken; whoever has more sends a shorter export.
    private static let maximumWalks = 500

    var create: Route {
        Route(
            .post, "/v1/enrolments/{id}/walk-imports", who: .participant, tag: "Walks",
            summary: "Hand in a recording",
            description: """
                A file of the kind TCX, GPX, FIT, or export.xml of HealthKit. Each walk in it is judged and stored as by a single request, under an id \
                that follows from what was recorded: the same file again changes nothing. A heart rate is weighted by time; a gap of more than 30 \
                seconds counts for nothing.
                """,
            parameters: [.enrolment],
            query: [
                QueryParameter(
                    "format", .string(values: RecordingFormat.allCases.map(\.rawValue)),
                    "What the file must be; found out when left out."),
                QueryParameter(
                    "time_zone", .zone, "Where the participant was; the enrolment's zone when left out."),
            ],
            body: .file(Self.mediaTypes.map(\.type), limit: BodyRule.walkLimit),
            outcomes: [
                .json(.created, "At least one walk was stored now.", Self.schema),
                .json(.ok, "Every walk that could be stored was stored before.", Self.schema),
            ],
            problems: [
                .recordingInvalid, .walkInvalid, .idReused, .enrolmentWithdrawn, .notFound, .busy,
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let zone = call.query("time_zone").flatMap { Zone($0) } ?? enrolment.zone
            let recording = try Self.recording(call)
            var results: [ItemResult] = []
            for walk in recording.walks {
                results.append(
                    await ItemResult(id: walk.id.description, logger: call.logger) {
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

    /// What was stored of a recording stands, in whatever zone it is sent again and however much more of the walk a later export holds; also where
    /// its participant has deleted it.
    private func put(
        _ walk: RecordedWalk, _ zone: Zone, _ enrolment: Enrolment, _ call: Call<Identity>
    ) async throws -> (json: JSON, isNew: Bool) {
        if let stored = try await context.store.findWalk(enrolment.id, walk.id, evenDeleted: true) {
            return (WalkWire.receipt(stored, replayed: true), false)
        }
        return try await WalkDesk(context: context)
            .put(walk.id, walk.json(zone: zone), of: enrolment, now: call.now)
    }

    private static func recording(_ call: Call<Identity>) throws(Problem) -> Recording {
        let type = BodyHeaders.mediaType(call.headers)
        let announced = mediaTypes.first { $0.type == type }?.format
        let wanted = call.query("format").flatMap { RecordingFormat(rawValue: $0) }
        do {
            let recording = try Recording(.bytes(call.rawBody), format: wanted ?? announced)
            guard recording.walks.count <= maximumWalks else {
                throw RecordingFault(
                    "it holds \(recording.walks.count) walks; \(maximumWalks) are taken at once")
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
            .required("format", .string(values: RecordingFormat.allCases.map(\.rawValue))),
            .required("remarks", .array(of: .string()), "What of the file could not be used."),
            .required(
                "items", .array(of: ItemResult.schema(WalkWire.receiptSchema)),
                "One for each walk, in the order of their starts."),
        ]))
}
