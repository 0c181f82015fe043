/// The type of an item. The raw values are the item types of FHIR R4, plus two that FHIR does not have: the participant
/// orders the options of a `ranking`, all at once or in comparisons of pairs, and the device records its coordinates
/// for a `location`. Everything else about a type is in its `definition`.
package enum ItemType: String, Sendable, Hashable, CaseIterable {
    case group, display, boolean, integer, decimal, string, text, date, dateTime, time, choice
    case openChoice = "open-choice"
    case quantity, ranking, location
}

/// The value of an answer option: a number, as in most rating scales, or a code.
package enum OptionValue: Sendable, Hashable {
    case integer(Int)
    case code(String)

    /// The number; nil for a code.
    package var number: Int? { if case .integer(let number) = self { number } else { nil } }
    /// Whether the value is a number.
    package var isNumber: Bool { number != nil }
}

/// One answer option of a choice.
package struct ResponseOption: Sendable, Hashable {
    /// The value; unique in its item.
    package var value: OptionValue
    /// The value of the option in scoring, if it differs from the option's own number.
    package var weight: Double?
    /// Whether the option excludes all others of a repeating item, such as "none of these".
    package var exclusive: Bool
    /// The conditions under which the option is offered. Without conditions it is always offered.
    package var enableWhen: [Condition]
    /// Whether all of `enableWhen` must be true, or one of them.
    package var enableBehavior: EnableBehavior
    /// The image, sound or film of the option. Its alternative text is in `QuestionnaireText.optionMedia`.
    package var media: Media?

    /// Creates an option. By default it is always offered and excludes no other option.
    package init(
        value: OptionValue, weight: Double? = nil, exclusive: Bool = false, enableWhen: [Condition] = [],
        enableBehavior: EnableBehavior = .all, media: Media? = nil
    ) {
        self.value = value
        self.weight = weight
        self.exclusive = exclusive
        self.enableWhen = enableWhen
        self.enableBehavior = enableBehavior
        self.media = media
    }

    /// The weight, or else the number of the option; nil for a code without a weight.
    package var number: Double? { weight ?? value.number.map { Double($0) } }
}

/// The recommended control for an item. A client may ignore it.
package enum ItemControl: String, Sendable, Hashable, CaseIterable {
    case radio = "radio-button", dropDown = "drop-down", slider, table, checkBox = "check-box", textBox =
        "text-box"
    case visualAnalogueScale = "visual-analogue-scale", spinner, autocomplete, page, pairwise
}

/// One element of a questionnaire, under the names of FHIR R4. Its texts are in `QuestionnaireText`, by linkId.
package struct Item: Sendable, Hashable {
    /// The name of the item, unique in its questionnaire: `[a-z][a-z0-9_]*`, at most 24 characters. The limit allows
    /// its use as a column name.
    package var linkId: String
    /// The type, which decides the other properties that are permitted.
    package var type: ItemType
    /// Whether a shown item must have an answer.
    package var required = false
    /// Whether several answers are permitted: several options of a choice, several values of another question, or
    /// several instances of a group.
    package var repeats = false
    /// Whether the participant cannot change the answer.
    package var readOnly = false
    /// Whether clients never show the item.
    package var hidden = false
    /// The options of a choice, open choice or ranking, in display order.
    package var answerOption: [ResponseOption] = []
    /// The inclusive minimum of a number, date, time or instant; nil for none. Dates, times and instants use their
    /// stored numbers: days since 1970, seconds since midnight, and milliseconds since 1970.
    package var minValue: Double?
    /// The inclusive maximum, in the unit of `minValue`; nil for none.
    package var maxValue: Double?
    /// The minimum length of a string or text, in Unicode scalars; nil for none.
    package var minLength: Int?
    /// The maximum length in Unicode scalars; nil for the limit of the item type.
    package var maxLength: Int?
    /// The pattern of string and text items, in the language of `Pattern`.
    package var regex: String?
    /// The minimum number of answers to a repeating item; nil for none. It applies only if the item is answered.
    package var minOccurs: Int?
    /// The maximum number of answers; nil for the limit of the item type.
    package var maxOccurs: Int?
    /// The maximum number of decimal places of a decimal or quantity.
    package var maxDecimalPlaces: Int?
    /// The number of decimal places to which the server rounds a location before it stores it; nil for the default. See
    /// `storedDecimals`.
    package var decimals: Int?
    /// The distance between the values that a slider offers.
    package var step: Double?
    /// The UCUM unit of a number, for the codebook.
    package var unit: String?
    /// The UCUM units that the participant can choose for a quantity, each once.
    package var unitOption: [String] = []
    /// The code of the study's data kind that the answer belongs to. Without the participant's permission the server
    /// removes the answer.
    package var dataKind: String?
    /// Whether the client shuffles the options of a question or the children of a group. It records the order with the
    /// sheet.
    package var shuffle = false
    /// The image, sound or film of the item.
    package var media: Media?
    /// The recommended control; nil for the client's default.
    package var itemControl: ItemControl?
    /// The initial answer. Clients show it, and read-only and hidden items receive it.
    package var initial: Answer?
    /// The conditions under which the item is shown. Without conditions it is always shown.
    package var enableWhen: [Condition] = []
    /// Whether all of `enableWhen` must be true, or one of them.
    package var enableBehavior: EnableBehavior = .all
    /// An expression that must also be true for the item to be shown. A blank counts as false. See `Expression`.
    package var enableWhenExpression: String?
    /// The children of a group.
    package var item: [Item] = []

    /// Creates an item with default properties.
    package init(linkId: String, type: ItemType) {
        self.linkId = linkId
        self.type = type
    }

    /// Whether a sheet has an answer under this linkId. This is true for questions and repeating groups, whose answer
    /// is their instances.
    package var acceptsAnswer: Bool { type.isQuestion || isRepeatingGroup }

    /// Whether the item is a group with several instances.
    package var isRepeatingGroup: Bool { type == .group && repeats }

    /// Whether the item is a line with two ends: a slider or visual analogue scale with both bounds.
    package var hasEnds: Bool {
        (itemControl == .slider || itemControl == .visualAnalogueScale) && type.isQuestion
            && minValue != nil && maxValue != nil
    }

    /// Whether the answer is a list of values. This is true for repeating questions without options.
    package var isList: Bool { repeats && type.isQuestion && !type.hasOptions }

    /// Whether the answer has a value for each option: several can be chosen, or all are ranked.
    package var isByOption: Bool { type.hasOptions && repeats || type.form == .ranking }

    /// Whether answers can be in different units, so that their numbers cannot be compared or added.
    package var hasMixedUnits: Bool { type.hasUnits && unitOption.count != 1 }

    /// The type of one answer in an expression; nil if an expression cannot name the item.
    package var expressionType: ExpressionType? { try? type.definition.expressionType(of: self) }

    /// The codes that the answers can have; nil for numbers, for free text and for items without options.
    package var codes: Set<String>? {
        type.form == .options && !type.acceptsFreeText && answerOption.first?.value.isNumber == false
            ? Set(answerOption.map(\.value.text)) : nil
    }
}

/// An image, sound or film of an item or of an answer option. Its alternative text is in `QuestionnaireText.media` or
/// `QuestionnaireText.optionMedia`.
package struct Media: Sendable, Hashable {
    /// The kinds of media.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case image, audio, video

        /// What a file of this kind contains.
        package var ofFile: MediaFormat.Kind {
            switch self {
            case .image: .image
            case .audio: .audio
            case .video: .video
            }
        }
    }

    /// The kind of the file.
    package var kind: Kind
    /// An https address, or a path such as `media/walk.png` in the app.
    package var source: String

    /// Creates a medium from its kind and its path or URL.
    package init(kind: Kind, source: String) {
        self.kind = kind
        self.source = source
    }
}

extension Item {
    /// The options of a single choice with their numbers in scoring, in the order of the options. Options with the same
    /// number are one. Empty if an option has no number, and for other items.
    package func numberedOptions(_ text: QuestionnaireText) -> [(number: Double, label: String)] {
        guard type.form == .options, !repeats, !type.acceptsFreeText else { return [] }
        var options: [(number: Double, label: String)] = []
        for option in answerOption {
            guard let number = option.number else { return [] }
            let value = option.value.text
            let label = text.options[linkId]?[value] ?? value
            if let index = options.firstIndex(where: { $0.number == number }) {
                options[index].label += " / \(label)"
            } else {
                options.append((number, label))
            }
        }
        return options
    }
}
