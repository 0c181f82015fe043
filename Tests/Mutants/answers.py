"""How answers are read, compared and stored, broken on purpose: what `mutants.py` tries. Entries are as in `planning.py`."""

MUTANTS = {
    "Observation/UCUMScale.swift": [
        ("amounts are of one kind", "of any two", "first.dimension == second.dimension", "true",
         "guard let first = UCUMScale(one.unit), let second = UCUMScale(other.unit),\n            first.dimension == second.dimension"),
        ("a temperature has its own zero", "it has that of the kelvin", "(Quantity(value) + offset) * factor", "Quantity(value) * factor"),
        ("cups are no pieces", "they are", "words", "\"\"", "dimension[words, default: 0] += direction"),
        ("a size that is not exact is not compared", "it is", "factor", "Quantity(1)", "guard case .exact = factor"),
        ("what stands below the line divides", "it multiplies", "exponent * direction < 0", "false"),
        ("an amount is converted where a number is exactly it", "where one is near it", "Quantity(number.double) == number", "true"),
        ("a temperature is converted to one with its own zero", "to kelvins", "count - other.offset", "count"),
    ],
    "Observation/UCUMUnit+Likeness.swift": [
        ("words of two kinds tell units apart", "they do not", "one.contains(\"{\") != other.contains(\"{\")", "true"),
        ("words that stand alone are 1", "they are nothing", "plain.last.map({ \"/.(\".contains($0) }) ?? true", "false"),
    ],
    "Pattern/Pattern+Example.swift": [
        ("an example is as long as is wanted", "as long as it may be", "lengths.contains($0) && ahead[$0][0]", "ahead[$0][0]"),
    ],
    "Questionnaire/Condition+Evaluation.swift": [
        ("quantities are equal as amounts", "as written", "!(own < wanted) && !(wanted < own)", "given == answer"),
        ("quantities have an order as amounts", "only within a unit", "UCUMScale.amounts(left, right).map { $0 < $1 } ?? false",
         "left.unit == right.unit && left.value < right.value"),
        ("an option is withheld where its conditions fail", "it never is", "isOffered == false", "false"),
    ],
    "Questionnaire/AnswerReader+Numbers.swift": [
        ("a bound counts in the first unit", "in any", "unit != first", "false"),
    ],
    "Questionnaire/DefinitionCheck+Items.swift": [
        ("bounds of units that nobody can compare are refused", "they are taken", "(bound ?? 0) != 0", "false"),
    ],
    "Questionnaire/DefinitionCheck+Shapes.swift": [
        ("no more are wanted than can be chosen together", "as many as there are options", "!$0.exclusive", "true"),
    ],
    "Questionnaire/DefinitionCheck+Conditions.swift": [
        ("conditions of units that nobody can compare are refused", "they are taken", "!UCUMScale.areOfOneKind($0, measure.unit)", "false"),
    ],
    "Questionnaire/AnswerReader+Options.swift": [
        ("what excludes all others answers alone", "it is too few", "places.count == 1 && item.answerOption[places[0]].exclusive", "false"),
    ],
    "Questionnaire/SheetReading+Options.swift": [
        ("an option of a hidden question is cleared", "it refuses the sheet", "hiddenHolds", "false", "if hiddenHolds, let question"),
        ("an option of another category is refused", "it is cleared", "isOffered(place, node, hiddenHolds: true) == false", "false"),
    ],
    "Questionnaire/AnswerCodec.swift": [
        ("options that were not offered are stored as blank", "as 0", "slot == 0 && withheld.contains(place)", "false"),
    ],
    "Questionnaire/Item+Rows.swift": [
        ("so they are in instances of a group", "they are 0", "withheld.contains(place)", "false"),
    ],
}
