import SaunterCore
import SaunterStore

/// Converts stored records to data points. Their times are corrected to the server's clock. Only
/// `source_creation_date_time` is by the device's clock: the end of the measurement.
enum DataPointResponse {
    /// The data point for one sample of an observation. Nil if the sample is outside the span, or if it lacks values
    /// that its schema requires.
    static func point(_ observation: StoredObservation, sample: Int, in span: Range<Instant>) -> JSON? {
        guard let schema = DataPointSchema.of(observation.code), let detail = observation.detail else {
            return nil
        }
        func moment(_ ms: Int) -> Instant {
            observation.startedAt.adding(milliseconds: observation.skewMs).adding(milliseconds: Int64(ms))
        }
        let from = moment(detail.tMs[sample])
        let time = DataPointTime(
            from: from, to: detail.untilMs.map { moment($0[sample]) } ?? from, offsetMin: 0)
        guard span.lowerBound <= time.to, time.from < span.upperBound,
            let body = schema.body(
                zip(observation.components, detail.values).map { component, values in
                    (component.code ?? observation.code, component.unit, values[sample])
                }, time: time, statistic: observation.statistic, detail: detail.detail)
        else { return nil }
        let id =
            observation.sampleCount == 1
            ? observation.id : DerivedID.make(of: [.id(observation.id), .int(sample)])
        return [
            "header": schema.header(
                id: id.description, createdAt: observation.receivedAt,
                sourceCreatedAt: time.to.adding(milliseconds: -observation.skewMs),
                modality: observation.modality,
                provenance: detail.provenance, source: detail.device?["model"]?.string),
            "body": body,
        ]
    }

    /// The physical-activity data point for a walk. Nil if the walk is outside the span.
    static func point(_ walk: StoredWalk, in span: Range<Instant>) -> JSON? {
        let time = DataPointTime(
            from: walk.startedAt.adding(milliseconds: walk.skewMs),
            to: walk.endedAt.adding(milliseconds: walk.skewMs), offsetMin: 0)
        guard span.lowerBound <= time.to, time.from < span.upperBound,
            let schema = DataPointSchema.of("physical-activity")
        else { return nil }
        let body = schema.body(
            [
                (MeasuredQuantity.distance.code, "m", walk.summary["distance_m"]?.double),
                (MeasuredQuantity.energy.code, "kcal", walk.summary["active_energy_kcal"]?.double),
            ], time: time, statistic: nil,
            detail: ["activity_name": .string((walk.sport ?? .walking).rawValue)])
        return [
            "header": schema.header(
                id: walk.id.description, createdAt: walk.receivedAt, sourceCreatedAt: walk.endedAt,
                modality: .sensed, provenance: nil, source: nil),
            "body": body ?? .null,
        ]
    }
}
