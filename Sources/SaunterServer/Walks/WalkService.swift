import Foundation
import SaunterCore
import SaunterStore

/// Validates and stores walks.
struct WalkService: RecordService {
    static var bodySchema: Schema { WalkBody.schema }

    let context: ServerContext

    /// Validates, summarises and stores a walk. A walk without a required calibration, or from before the enrolment, is
    /// stored with a flag. A new walk that began after the participant left the study is rejected.
    /// - Returns: the receipt, and whether the walk is new.
    /// - Throws: `Problem` if the walk is rejected.
    func put(
        _ uuid: UUID, _ json: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> RecordReceipt {
        let id = WalkID(uuid)
        let body: WalkBody
        do {
            body = try WalkBody(json)
        } catch {
            throw Problem(.walkInvalid, error)
        }
        let skew = now.skew(of: body.clientNow)
        let startedAt = body.walk.startedAt.adding(milliseconds: skew)
        let published = try await context.study(of: enrolment)
        let calibration = try await calibration(of: body, at: startedAt, enrolment)
        let status = EnrolmentStatus(endedAt: enrolment.endedAt)
        if let endedAt = enrolment.endedAt, startedAt >= endedAt,
            try await context.store.findWalk(enrolment.id, id, includingDeleted: true) == nil
        {
            throw Problem(.enrolmentWithdrawn, "The walk began after the participant had left the study.")
        }
        try Self.checkSport(body.sport, rule: published.study.walking)
        let permitted = PermittedWalk(
            body.walk, without: try await forbiddenSeries(body.walk, skew: skew, enrolment, published.study))
        let flags =
            body.walk.flags(
                rule: published.study.walking, sport: body.sport, hasCalibration: calibration != nil,
                enrolledAt: enrolment.enrolledAt,
                status: status, receivedAt: now, skewMs: skew) + permitted.flags
        let summary = WalkSummary(of: permitted.walk, targetSpeedKmh: calibration?.targetSpeedKmh)
        let receipt = try await context.save(
            WalkSubmission(
                enrolment: enrolment.id, id: id, walk: permitted.walk, summary: summary, zone: body.zone,
                device: body.device, sport: body.sport, calibration: calibration?.id,
                flags: flags.map(\.rawValue),
                skewMs: skew, receivedAt: now,
                digest: body.digest, body: body.json(without: permitted.dropped), study: published.study))
        guard receipt.isNew else {
            // Also finds a walk that was deleted in the meantime, so that a retry gets the same receipt.
            guard let stored = try await context.store.findWalk(enrolment.id, id, includingDeleted: true)
            else {
                throw Problem(.notFound)
            }
            return RecordReceipt(WalkResponse.receipt(stored, replayed: true), .replayed)
        }
        return RecordReceipt(
            WalkResponse.receipt(
                id, startedAt: body.walk.startedAt, endedAt: body.walk.endedAt, receivedAt: now,
                sport: body.sport, calibration: calibration?.id, flags: flags.map(\.rawValue),
                summary: summary.json, replayed: false),
            .accepted)
    }

    /// - Throws: `Problem` of type `walk-invalid` for a sport that is not a walk, if the study refuses other sports.
    private static func checkSport(_ sport: Sport?, rule: WalkingRule?) throws(Problem) {
        guard let sport, let rule, !rule.accepts(sport) else { return }
        throw Problem(
            .walkInvalid,
            Faults([
                Fault(
                    pointer: "/sport", code: "not_a_walk",
                    detail: "The recording is \(sport.rawValue), and the study accepts only walks.")
            ]))
    }

    /// The series that the server does not store, because the participant did not permit them from the start to the end
    /// of the walk.
    private func forbiddenSeries(
        _ walk: Walk, skew: Int64, _ enrolment: Enrolment, _ study: Study
    ) async throws -> Set<DataKind.WalkSeries> {
        guard study.dataKinds.contains(where: { !$0.walkSeries.isEmpty }) else { return [] }
        let kinds = study.forbiddenDataKinds(
            try await context.store.listDataKindGrants(of: enrolment.id),
            from: walk.startedAt.adding(milliseconds: skew), to: walk.endedAt.adding(milliseconds: skew))
        return Set(kinds.flatMap(\.walkSeries))
    }

    /// The calibration that the walk names; otherwise the one that was active when the walk began.
    /// - Throws: `Problem` of type `walk-invalid` if the named calibration is not stored.
    private func calibration(
        of body: WalkBody, at startedAt: Instant, _ enrolment: Enrolment
    ) async throws -> StoredCalibration? {
        guard let id = body.calibration else {
            return try await context.store.findCalibration(enrolment.id, at: startedAt)
        }
        guard let calibration = try await context.store.findCalibration(enrolment.id, id) else {
            throw Problem(
                .walkInvalid,
                Faults([
                    Fault(
                        pointer: "/calibration_id", code: "unknown_calibration",
                        detail: "The enrolment has no calibration with this id.")
                ]))
        }
        return calibration
    }
}
