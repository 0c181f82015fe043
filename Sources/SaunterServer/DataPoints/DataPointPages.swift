import Foundation
import SaunterCore
import SaunterStore

/// Reads an enrolment's data points page by page: the samples of its observations, then its walks.
struct DataPointPages: Sendable {
    let store: Store
    let enrolment: EnrolmentID
    /// Names of schemas.
    let schemas: [String]
    let span: Range<Instant>

    /// Observations that are read at once; each may hold many samples.
    private static let step = 20
    private static let walkSchema = "physical-activity"

    /// - Parameter place: nil begins.
    /// - Returns: the points, and where the next page begins if there is one.
    func page(
        from place: DataPointPlace?, limit: Int
    ) async throws -> (points: [JSON], next: DataPointPlace?) {
        var points: [JSON] = []
        if place?.isWalk != true, let next = try await addSamples(to: &points, from: place, limit: limit) {
            return (points, next)
        }
        guard schemas.contains(Self.walkSchema) else { return (points, nil) }
        let next = try await addWalks(to: &points, from: place?.isWalk == true ? place : nil, limit: limit)
        return (points, next)
    }

    private func addSamples(
        to points: inout [JSON], from start: DataPointPlace?, limit: Int
    ) async throws -> DataPointPlace? {
        let codes = schemas.compactMap { DataPointSchema.of($0) }.flatMap(\.codes)
        var place = start
        while true {
            let found = try await store.listObservationSamples(
                enrolment, codes: codes, in: span, from: place.map { ($0.startedAt, $0.id) },
                limit: Self.step)
            for observation in found {
                let first = observation.id.uuid == place?.id ? place?.sample ?? 0 : 0
                for sample in stride(from: first, to: observation.sampleCount, by: 1) {
                    guard let point = DataPointWire.point(observation, sample: sample, in: span) else {
                        continue
                    }
                    guard points.count < limit else {
                        return DataPointPlace(
                            isWalk: false, startedAt: observation.startedAt, id: observation.id.uuid,
                            sample: sample)
                    }
                    points.append(point)
                }
            }
            guard found.count == Self.step, let last = found.last else { return nil }
            place = DataPointPlace(
                isWalk: false, startedAt: last.startedAt, id: last.id.uuid, sample: .max)
        }
    }

    private func addWalks(
        to points: inout [JSON], from start: DataPointPlace?, limit: Int
    ) async throws -> DataPointPlace? {
        var before: (startedAt: Instant, id: WalkID)? = start.map { ($0.startedAt, WalkID($0.id)) }
        while true {
            let found = try await store.listWalks(enrolment, before: before, limit: limit + 1)
            for walk in found {
                guard let point = DataPointWire.point(walk, in: span) else { continue }
                guard points.count < limit else {
                    // Back to the last that was told, or to the beginning: what is listed comes after it.
                    return DataPointPlace(
                        isWalk: true, startedAt: before?.startedAt ?? .maximum,
                        id: before?.id.uuid ?? DataPointPlace.end,
                        sample: 0)
                }
                points.append(point)
                before = (walk.startedAt, walk.id)
            }
            guard found.count > limit, let last = found.last else { return nil }
            before = (last.startedAt, last.id)
        }
    }
}

extension DataPointPlace {
    /// Before every walk in a list of the newest first.
    static let end = UUID(
        uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))
}
