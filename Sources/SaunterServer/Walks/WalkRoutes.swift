import HTTPTypes
import SaunterCore
import SaunterStore

/// Calibrations, walking sessions, and the statistics that participants see of them.
struct WalkRoutes: Sendable {
    let context: ServerContext

    private var desk: WalkDesk { WalkDesk(context: context) }

    static let walkParameter = PathParameter.uuid("walk_id", "Made by the device when the walk is begun.")

    static let calibrationBody = Schema.named(
        "Calibration",
        .object([
            .required("recorded_at", .instant), .required("mean_speed_kmh", .number()),
            .required("reduction_percent", .number()), .required("duration_s", .number()),
            .optional("client_now", .instant),
        ]))

    var putCalibration: Route {
        Route(
            .put, "/v1/enrolments/{id}/calibrations/{calibration_id}", who: .participant, tag: "Walks",
            summary: "Hand in a calibration",
            parameters: [.enrolment, .uuid("calibration_id", "Made by the device.")],
            body: .json(
                Self.calibrationBody,
                example: [
                    "recorded_at": "2026-11-21T08:00:00.000Z", "mean_speed_kmh": 5.4, "reduction_percent": 30,
                    "duration_s": 120,
                ]),
            outcomes: [
                .json(.created, "Stored.", WalkWire.calibrationReceiptSchema),
                .json(.ok, "Stored before.", WalkWire.calibrationReceiptSchema),
            ], problems: [.calibrationInvalid, .idReused, .enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let id: CalibrationID = try call.id("calibration_id")
            let result = try await desk.put(id, call.body, of: enrolment, now: call.now)
            return .json(result.isNew ? .created : .ok, result.json)
        }
    }

    var currentCalibration: Route {
        Route(
            .get, "/v1/enrolments/{id}/calibrations/current", who: .participant, tag: "Walks",
            summary: "The calibration in force", parameters: [.enrolment],
            outcomes: [.json(.ok, "The last one.", WalkWire.calibrationSchema)]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard let calibration = try await context.store.findCalibration(enrolment.id, at: call.now) else {
                throw Problem(.notFound, "There is no calibration yet.")
            }
            return .json(.ok, WalkWire.calibration(calibration))
        }
    }

    var put: Route {
        Route(
            .put, "/v1/enrolments/{id}/walks/{walk_id}", who: .participant, tag: "Walks",
            summary: "Hand in a walking session",
            description: """
                Summarised by the server: paused time counts for nothing, the heart rate is weighted by time. A walk that should not have been started \
                is stored and flagged. One that comes before the calibration in force at its start gets its target when that comes.
                """,
            parameters: [.enrolment, Self.walkParameter],
            body: .json(WalkBody.schema, limit: BodyRule.walkLimit, example: Self.example),
            outcomes: [
                .json(.created, "Stored.", WalkWire.receiptSchema),
                .json(.ok, "Stored before.", WalkWire.receiptSchema),
            ], problems: [.walkInvalid, .idReused, .enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let id: WalkID = try call.id("walk_id")
            let result = try await desk.put(id, call.body, of: enrolment, now: call.now)
            return .json(result.isNew ? .created : .ok, result.json)
        }
    }

    private static let example: JSON = [
        "started_at": "2026-11-21T08:00:00.000Z", "ended_at": "2026-11-21T08:00:03.000Z",
        "time_zone": "Europe/Berlin",
        "pauses": [],
        "series": [
            "t_ms": [0, 1000, 2000], "speed_kmh": [3.9, 4.0, 4.1], "heart_rate_bpm": [92, 93, 93],
            "distance_m": [0, 1.1, 2.2],
        ],
    ]

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/walks", who: .participant, tag: "Walks",
            summary: "Walks, the newest first",
            parameters: [.enrolment], query: [.limit, .cursor],
            outcomes: [.json(.ok, "Walks with their summaries.", .page(of: WalkWire.listedSchema))]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let place = try call.place()
            let walks = try await context.store.listWalks(
                enrolment.id, before: place.map { ($0.moment, WalkID($0.id)) }, limit: call.pageLimit + 1)
            let page = walks.prefix(call.pageLimit)
            let next =
                walks.count > page.count
                ? page.last.map { PagePlace(moment: $0.startedAt, id: $0.id.uuid).cursor } : nil
            return .page(
                page.map(WalkWire.listed), next: next, path: "/v1/enrolments/\(enrolment.id)/walks",
                query: call.pageQuery, publicURL: context.configuration.publicURL)
        }
    }

    var get: Route {
        Route(
            .get, "/v1/enrolments/{id}/walks/{walk_id}", who: .participant, tag: "Walks",
            summary: "One walk with its series", parameters: [.enrolment, Self.walkParameter],
            outcomes: [.json(.ok, "The walk.", WalkWire.detailSchema)]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard let walk = try await context.store.findWalk(enrolment.id, call.id("walk_id")) else {
                throw Problem(.notFound)
            }
            return .json(.ok, WalkWire.detail(walk))
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/enrolments/{id}/walks/{walk_id}", who: .participant, tag: "Walks",
            summary: "Delete a walk",
            parameters: [.enrolment, Self.walkParameter], outcomes: [.empty(.noContent, "Deleted.")]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let id: WalkID = try call.id("walk_id")
            let audit = AuditEntry(
                actor: .account(call.caller.account), action: "walk_deleted", study: enrolment.study,
                enrolment: enrolment.id, requestID: call.requestID, detail: ["walk_id": .id(id)])
            let study = try await context.study(of: enrolment).study
            let isDeleted = try await context.store.deleteWalk(
                enrolment.id, id, study: study, now: call.now, audit: audit)
            guard isDeleted else { throw Problem(.notFound) }
            return .noContent
        }
    }
}
