extension Column {
    /// What a profile does to it.
    package func treatment(in profile: DatasetProfile) -> Treatment {
        guard profile == .deidentified else { return .kept }
        if isDropped { return .dropped }
        switch form {
        case .id, .participant, .anchor: return .pseudonymised
        case .moment, .local, .date, .subject: return .shifted
        case .zone, .offset: return .coarsened
        case .answer, .stored, .expression: return type == .date || type == .instant ? .shifted : .kept
        case .raw, .flag, .list: return .kept
        }
    }

    /// The expression that makes it of the raw row `r`, without its name.
    func sql(_ profile: DatasetProfile, guardsZones: Bool) -> String {
        guard profile == .deidentified else { return form.sql(name, guardsZones: guardsZones) }
        return isDropped
            ? "null::text" : form.releasedSQL(name, type: type, guardsZones: guardsZones)
    }
}
