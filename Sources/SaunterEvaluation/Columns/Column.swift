import SaunterCore

/// The type of a column's values, which every loader uses.
package enum ColumnType: String, Sendable, Hashable, CaseIterable {
    case string, integer, number
    /// Written as 0 and 1.
    case boolean
    /// `yyyy-mm-dd`.
    case date
    /// An instant in UTC, `yyyy-mm-ddThh:mm:ss.sssZ`.
    case instant
    /// A local time, `yyyy-mm-ddThh:mm:ss.sss`.
    case local
    /// A time of day, `hh:mm:ss`.
    case time
}

/// How far a column can identify a participant.
package enum IdentifierClass: String, Sendable, Hashable, CaseIterable {
    case none, quasi, direct
}

/// The origin of a column's values.
package enum ColumnSource: String, Sendable, Hashable, CaseIterable {
    case answer, device, server, design, derived
}

/// What a profile does to a column.
package enum Treatment: String, Sendable, Hashable, CaseIterable {
    case kept
    /// The cells are blank.
    case dropped
    /// Shifted in time, by the same number of days for all data of one participant.
    case shifted
    /// Reduced in precision.
    case coarsened
    /// Replaced by a pseudonym that is different in every release.
    case pseudonymised
}

/// One column of a file: its name, its SQL, and its description in the codebook.
package struct Column: Sendable, Hashable {
    /// The name in the header of the file.
    package let name: String
    /// The type of the values.
    package let type: ColumnType
    /// How the value is computed from the raw row.
    var form: ColumnForm
    /// The description in the codebook.
    package var label: String
    /// The unit of the values.
    package var unit: String?
    /// The set in `meta/value_labels.csv` that explains the codes of the column.
    package var valueSet: String?
    /// How far the column can identify a participant.
    package var identifierClass: IdentifierClass
    /// The origin of the values.
    package var source: ColumnSource
    /// The names of the columns from which the value is computed.
    package var derivedFrom: String?
    /// The item whose answers the column contains.
    package var item: ItemHistory?
    /// The option whose selection the column contains.
    package var option: OptionValue?
    /// Whether the column is blank in a de-identified release.
    package var isDropped = false
    /// Whether `form` reduces the precision of the stored values.
    var isCoarsened = false

    init(
        _ name: String, _ type: ColumnType, _ form: ColumnForm, _ label: String, unit: String? = nil,
        valueSet: String? = nil, identifierClass: IdentifierClass = .none, source: ColumnSource = .server,
        derivedFrom: String? = nil, item: ItemHistory? = nil
    ) {
        self.name = name
        self.type = type
        self.form = form
        self.label = label
        self.unit = unit
        self.valueSet = valueSet
        self.identifierClass = identifierClass
        self.source = source
        self.derivedFrom = derivedFrom
        self.item = item
    }

    init(
        _ name: String, _ type: ColumnType, _ label: String, unit: String? = nil, valueSet: String? = nil,
        identifierClass: IdentifierClass = .none, source: ColumnSource = .server, derivedFrom: String? = nil
    ) {
        self.init(
            name, type, .raw, label, unit: unit, valueSet: valueSet, identifierClass: identifierClass,
            source: source,
            derivedFrom: derivedFrom)
    }

    /// The id of a record: a letter, and the UUID as the API shows it. Because of the letter, no loader reads an id as
    /// a number.
    static func id(_ name: String, _ letter: String, _ label: String) -> Column {
        Column(name, .string, .id(letter), label, identifierClass: .quasi)
    }

    /// The pseudonym of the participant, the same in all files.
    static let participant = Column(
        "participant_id", .string, .participant, "Participant (pseudonym)", identifierClass: .quasi)
    static let enrolment = Column.id("enrolment_id", "E", "Enrolment")
    static let arm = Column("arm", .string, .raw, "Arm of the study", source: .design)
    static let studyDay = Column(
        "study_day", .integer, .raw,
        "Day of the study: local date minus the local date of enrolment, which is day 0", unit: "d",
        source: .derived)

    static let weekday = Column(
        "weekday", .integer, .raw, "Weekday of the local date: 1 is Monday, 7 is Sunday", valueSet: "weekday",
        source: .derived, derivedFrom: "study_day")

    /// The four columns of an instant: `<name>_at` in UTC, `<name>_local` in local time, `<name>_tz`,
    /// `<name>_offset_min`.
    /// - Parameter hasOffset: whether the offset is stored. Otherwise it is computed from the time zone at that
    ///   instant.
    static func instant(
        _ name: String, _ label: String, hasOffset: Bool = false, source: ColumnSource = .server
    ) -> [Column] {
        [
            Column("\(name)_at", .instant, .moment, "\(label), UTC", source: source),
            Column(
                "\(name)_local", .local, .local(name, hasOffset: hasOffset), "\(label), wall clock",
                source: .derived,
                derivedFrom: "\(name)_at \(name)_tz"),
            Column(
                "\(name)_tz", .string, .zone, "\(label), time zone", identifierClass: .quasi, source: source),
            Column(
                "\(name)_offset_min", .integer, .offset(name, isStored: hasOffset),
                "\(label), minutes east of UTC", unit: "min",
                source: source),
        ]
    }

    /// An instant of the server's clock, in UTC only.
    static func moment(_ name: String, _ label: String) -> Column { Column(name, .instant, .moment, label) }

    static func flag(_ name: String, _ label: String, source: ColumnSource = .server) -> Column {
        Column(name, .boolean, .flag, label, source: source)
    }

    /// A date in the participant's time zone.
    static func date(
        _ name: String, _ label: String, source: ColumnSource = .server, derivedFrom: String? = nil
    ) -> Column {
        Column(name, .date, .date, label, source: source, derivedFrom: derivedFrom)
    }

    /// A copy of the column that is blank in a de-identified release.
    var dropped: Column {
        var column = self
        column.isDropped = true
        return column
    }
}

extension Column {
    /// What a profile does to the column, for the codebook.
    package func treatment(in profile: DatasetProfile) -> Treatment {
        if isCoarsened { return .coarsened }
        guard profile == .deidentified else { return .kept }
        if isDropped { return .dropped }
        switch form {
        case .id, .ids, .participant, .anchor: return .pseudonymised
        case .moment, .local, .date, .subject, .typed: return .shifted
        case .zone, .offset: return .coarsened
        case .answer, .stored, .expression: return type == .date || type == .instant ? .shifted : .kept
        case .raw, .flag, .list: return .kept
        }
    }

    /// The SQL expression of the column over the raw row `r`, without an alias.
    func sql(_ profile: DatasetProfile, hasUnknownZones: Bool) -> String {
        guard profile == .deidentified else { return form.sql(name, hasUnknownZones: hasUnknownZones) }
        return isDropped
            ? "null::text" : form.releasedSQL(name, type: type, hasUnknownZones: hasUnknownZones)
    }
}
