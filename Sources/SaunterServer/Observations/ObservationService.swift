import Foundation
import SaunterCore
import SaunterStore

/// Validates and stores observations, for single submissions, batch uploads and data points.
struct ObservationService: Sendable {
    let context: ServerContext

    /// Validates and stores an observation. An observation with implausible times is stored with flags.
    /// - Returns: the receipt, and whether the observation or the revision is new.
    /// - Throws: `Problem` if the observation is rejected.
    func put(
        _ id: ObservationID, _ json: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> RecordReceipt {
        let body: ObservationBody
        do {
            body = try ObservationBody(json)
        } catch {
            throw Problem(.observationInvalid, error)
        }
        return try await store(
            ObservationSubmission(
                enrolment: enrolment.id, study: enrolment.study, id: id, revision: body.revision,
                observation: body.observation, zone: body.zone, device: body.device,
                skewMs: now.skew(of: body.clientNow), receivedAt: now, digest: body.digest, body: body.json),
            of: enrolment)
    }

    /// Requires that the participant permitted the kind of the observation while it was measured.
    /// - Throws: `Problem` of type `observation-invalid` with a fault for each code that is not permitted.
    private func checkPermission(for submission: ObservationSubmission, of enrolment: Enrolment) async throws
    {
        let study = try await context.study(of: enrolment).study
        guard study.dataKinds.contains(where: { !$0.observations.isEmpty }) else { return }
        let observation = submission.observation
        let kinds = study.forbiddenDataKinds(
            try await context.store.listDataKindGrants(of: enrolment.id),
            from: observation.startedAt.adding(milliseconds: submission.skewMs),
            to: observation.endedAt.adding(milliseconds: submission.skewMs))
        var codes: [(pointer: String, code: ObservationCode)] = [("/code", observation.code)]
        for (index, component) in observation.components.enumerated() {
            if let code = component.code { codes.append(("/components/\(index)/code", code)) }
        }
        let faults = codes.compactMap { pointer, code -> Fault? in
            let covering = kinds.first { kind in
                kind.observations.contains { $0.system == code.system && $0.code == code.code }
            }
            return covering.map { kind in
                Fault(
                    pointer: pointer, code: "no_consent",
                    detail: "The participant did not permit the data kind \(kind.code) at that time.")
            }
        }
        guard faults.isEmpty else { throw Problem(.observationInvalid, Faults(faults)) }
    }

    /// Stores a decoded observation and adds the flags for implausible times.
    /// - Returns: the receipt, and whether the observation or the revision is new.
    /// - Throws: `Problem` if the observation is rejected.
    func store(
        _ given: ObservationSubmission, of enrolment: Enrolment
    ) async throws -> RecordReceipt {
        var submission = given
        let observation = submission.observation
        let startedAt = observation.startedAt.adding(milliseconds: submission.skewMs)
        if let endedAt = enrolment.endedAt, startedAt >= endedAt {
            let found = try await context.store.findObservation(
                enrolment.id, submission.id, includingDeleted: true)
            guard found?.revision ?? 0 >= submission.revision else {
                throw Problem(
                    .enrolmentWithdrawn,
                    "The observation was measured after the participant had left the study.")
            }
        }
        try await checkPermission(for: submission, of: enrolment)
        submission.affectsRules = try await context.study(of: enrolment).rules.needs.observations
        submission.flags = WalkFlag.ofTimes(
            from: observation.startedAt, to: observation.endedAt, enrolledAt: enrolment.enrolledAt,
            status: EnrolmentStatus(endedAt: enrolment.endedAt), receivedAt: submission.receivedAt,
            skewMs: submission.skewMs
        ).map(\.rawValue)
        let receipt = try await context.save(submission)
        // Also finds an observation that was deleted in the meantime, so that a retry gets the same receipt.
        let found = try await context.store.findObservation(
            enrolment.id, submission.id, includingDeleted: true)
        guard let stored = found else { throw Problem(.notFound) }
        return RecordReceipt(
            ObservationResponse.receipt(stored, replayed: !receipt.isNew), isNew: receipt.isNew)
    }
}

extension ObservationService: RecordService {
    static var bodySchema: Schema { ObservationBody.schema }

    func put(
        _ id: UUID, _ body: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> RecordReceipt {
        try await put(ObservationID(id), body, of: enrolment, now: now)
    }
}
