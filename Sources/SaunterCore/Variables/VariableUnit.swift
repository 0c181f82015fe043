extension Study {
    /// The UCUM unit of a variable's values; nil for values without a unit, and if the definition does not decide it.
    package func unit(of variable: TailoringVariable) -> String? {
        switch variable.kind {
        case .latest, .first, .statistic, .series, .list: unit(of: variable.source)
        case .slope: unit(of: variable.source).map { "\($0)/d" }
        case .days, .streak: "d"
        case .change(let target, _): variables.first { $0.id == target }.flatMap { unit(of: $0) }
        case .at, .count, .share, .top, .keys, .expression: nil
        }
    }

    private func unit(of source: TailoringVariable.Source?) -> String? {
        switch source {
        case .entry(let entries): unit(of: entries)
        case .usage(_, _, let isSeconds): isSeconds ? "s" : nil
        case .walk(let metric): metric?.unit
        case .message, .occasion, .observation, .enrolment, .event, nil: nil
        }
    }

    /// Nil if the items have different units.
    private func unit(of entries: TailoringVariable.Entries) -> String? {
        let linkIds: [String]
        switch entries.value {
        case .item(let linkId): linkIds = [linkId]
        case .items(let all): linkIds = all
        case .scale, nil: return nil
        }
        let items = entries.questionnaires.compactMap { questionnaire($0) }.flatMap(\.questions)
            .filter { linkIds.contains($0.linkId) }
        let units = Set(items.map { $0.unitOption.count == 1 ? $0.unitOption[0] : $0.unit })
        return units.count == 1 ? units.first ?? nil : nil
    }
}

extension WalkMetric {
    /// The UCUM unit; nil for counts and shares.
    package var unit: String? {
        switch self {
        case .elapsed, .active, .aboveTarget: "s"
        case .distance: "m"
        case .meanSpeed: "km/h"
        case .meanPace: "s/km"
        case .meanHeartRate, .maximumHeartRate: "/min"
        case .activeEnergy: "kcal"
        case .aboveTargetCount, .coverage: nil
        }
    }
}
