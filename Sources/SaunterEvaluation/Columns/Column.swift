import SaunterCore

/// What the values of a column are, for everybody who loads it.
package enum ColumnType: String, Sendable, Hashable, CaseIterable {
    case string, integer, number
    /// Written 0 and 1.
    case boolean
    /// `yyyy-mm-dd`.
    case date
    /// An instant in UTC, `yyyy-mm-ddThh:mm:ss.sssZ`.
    case instant
    /// A wall clock's reading, `yyyy-mm-ddThh:mm:ss.sss`.
    case local
    /// A time of day, `hh:mm:ss`.
    case time
}

/// How far a column may tell who somebody is.
package enum IdentifierClass: String, Sendable, Hashable, CaseIterable {
    case none, quasi, direct
}

/// Where a column's values come from.
package enum ColumnSource: String, Sendable, Hashable, CaseIterable {
    case answer, device, server, design, derived
}

/// What a profile does to a column.
package enum Treatment: String, Sendable, Hashable, CaseIterable {
    case kept
    /// Nothing of it is told: its cells are blank.
    case dropped
    /// Moved in time, by days that are the same for everything of one person.
    case shifted
    /// Told less exactly.
    case coarsened
    /// Another word in every release.
    case pseudonymised
}

/// One column of a file: its name, how it is written, and what the codebook says of it.
package struct Column: Sendable, Hashable {
    package let name: String
    package let type: ColumnType
    /// How it is made of the raw row.
    var form: ColumnForm
    package var label: String
    package var unit: String?
    /// The set of `meta/value_labels.csv` that explains its codes.
    package var valueSet: String?
    package var identifierClass: IdentifierClass
    package var source: ColumnSource
    /// What it was computed from.
    package var derivedFrom: String?
    /// For a column that holds the answers to an item.
    package var item: ItemHistory?
    /// For one that holds whether this option of the item was chosen.
    package var option: OptionValue?
    /// Whether a de-identified release tells nothing of it.
    package var isDropped = false

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

    /// The id of a thing: the letter, then the UUID as the API shows it. Every id begins with a letter, so
    /// that no loader takes one for a number.
    static func id(_ name: String, _ letter: String, _ label: String) -> Column {
        Column(name, .string, .id(letter), label, identifierClass: .quasi)
    }

    /// The pseudonym of a person, the same in all files.
    static let participant = Column(
        "participant_id", .string, .participant, "Participant (pseudonym)", identifierClass: .quasi)
    static let enrolment = Column.id("enrolment_id", "E", "Enrolment")
    static let arm = Column("arm", .string, .raw, "Arm of the study", source: .design)
    static let studyDay = Column(
        "study_day", .integer, .raw,
        "Day of the study: local date less the local date of enrolment, which is day 0", unit: "d",
        source: .derived)

    /// The four columns of an instant: `<name>_at` in UTC, `<name>_local` by the wall clock, `<name>_tz`,
    /// `<name>_offset_min`.
    /// - Parameter hasOffset: whether the offset was stored; else it is that of the zone at that moment.
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

    /// A moment by the server's clock, in UTC alone.
    static func moment(_ name: String, _ label: String) -> Column { Column(name, .instant, .moment, label) }

    static func flag(_ name: String, _ label: String, source: ColumnSource = .server) -> Column {
        Column(name, .boolean, .flag, label, source: source)
    }

    /// A day on the participant's calendar.
    static func date(
        _ name: String, _ label: String, source: ColumnSource = .server, derivedFrom: String? = nil
    ) -> Column {
        Column(name, .date, .date, label, source: source, derivedFrom: derivedFrom)
    }

    /// The same column, blank in a de-identified release.
    var dropped: Column {
        var column = self
        column.isDropped = true
        return column
    }
}
