"""How questionnaires of other formats are read and written, broken on purpose: what `mutants.py` tries. Entries are as in `planning.py`."""

MUTANTS = {
    "FHIR/FHIRReading.swift": [
        ("required is read", "it is not", "object[\"required\"]?.bool ?? false", "false"),
        ("items nest so deep", "as deep as they like", "depth <= Self.maximumDepth", "true"),
    ],
    "FHIR/FHIRReading+Choices.swift": [
        ("weights are read by either name", "itemWeight is not", "name == \"itemWeight\"", "false"),
        ("options are numbers where each has its own", "where two have the same",
         "Set(given.compactMap { $0[\"valueInteger\"]?.int }).count == given.count", "true"),
        ("what is chosen at first is read", "it is not", "option[\"initialSelected\"]?.bool == true", "false"),
        ("exclusive options are read", "they are not", "$0[\"valueBoolean\"] == true", "false"),
    ],
    "FHIR/FHIRReading+Answers.swift": [
        ("any of several conditions is read", "as all of them", "source[\"enableBehavior\"] == \"any\"", "false"),
        ("conditions are taken when all are understood", "those that are", "conditions.count == given.count", "true"),
        ("initial values are taken when all are understood", "those that are", "answers.count == given.count", "true"),
        ("a condition has one answer", "the first of several", "object.filter({ $0.name.hasPrefix(\"answer\") }).count == 1", "true"),
        ("an option is known by its system, too", "by its code alone",
         "one[\"system\"] == nil || other[\"system\"] == nil || one[\"system\"] == other[\"system\"]", "true"),
    ],
    "FHIR/FHIRReading+Rules.swift": [
        ("the largest value is read", "as the smallest", "fill(&item.maxValue, bound(value, item.type))", "fill(&item.minValue, bound(value, item.type))"),
        ("a pattern is read", "it is not", "fill(&item.regex, value.string?.nonBlank)", "true"),
    ],
    "FHIR/FHIRUnits.swift": [
        ("a bound of a quantity is in the item's first unit", "in any", "codes.prefix(1)", "codes[...]"),
        ("without a unit an answer is in the only one", "in the first", "codes.count == 1", "!codes.isEmpty"),
        ("one unit has many spellings", "one", "UCUMUnit.isSameBesidesWords($0, unit)", "false"),
        ("what is spelled as the item's unit is it", "in UCUM alone", "units.first { $0 == unit }", "nil as String?"),
        ("codes of other systems are no units of UCUM", "they are", "$0.string == FHIRItem.units", "true"),
        ("what is below a number is none", "it is one", "quantity[\"comparator\"] == nil", "true"),
        ("without a code a unit goes by what people read", "it does not", "meant.count == 1", "false"),
    ],
    "FHIR/FHIRReading+Options.swift": [
        ("any of an option's conditions is read", "as all of them", "behavior = read", "_ = read"),
    ],
    "FHIR/FHIRValueSets.swift": [
        ("what a set excludes is no option", "it is one", "codes.contains($0)", "$0.isEmpty"),
        ("a heading over codes is no option", "it is one", "$0[\"abstract\"] != true", "true"),
        ("codes under codes are options", "they are not", "flat($0[member]?.array ?? [], member)", "[]"),
        ("of a set beside it a questionnaire knows no id", "it does", "Self.has(set, the: reference)",
         "Self.has(set, the: reference) || set[\"id\"]?.string.map { \"#\" + $0 == reference } == true",
         "beside.first { _, set in Self.has(set, the: reference) }"),
        ("a set has the version that is wanted", "any", "version == parts[1]", "true"),
        ("a part of a code system is not the whole", "it is", "$0 == \"complete\"", "true"),
        ("a list that is not whole is told", "it is not", "total > expanded.count", "false"),
    ],
    "FHIR/FHIRImport.swift": [
        ("numbers beside the options are no choice", "they are", "constraint != \"optionsOrType\"", "true",
         "guard item[\"answerOption\"]?.array?.isEmpty == false, constraint != \"optionsOrType\" else"),
    ],
    "FHIR/FHIRKeeping+Parts.swift": [
        ("extensions within options are told of", "they are not", "!isRead($0)", "$0.isNull"),
    ],
    "FHIR/FHIRPatch.swift": [
        ("members that were not there do not come", "they do", "wanted[member.name] == nil", "false",
         "for member in made where wanted[member.name] == nil {"),
        ("extensions keep their order", "they do not", "urls(apply(extensions: patch, to: made)) != order", "false"),
    ],
    "FHIR/FHIRItem.swift": [
        ("how conditions are joined is written", "it is not", "conditions.count > 1", "false"),
        ("exclusive options are written", "they are not", "option.exclusive", "false", "if option.exclusive {"),
    ],
    "FHIR/Item+Shown.swift": [
        ("what stands under a question is shown only where it is", "wherever its own conditions hold",
         "outer.enableWhen + enableWhen.filter { !outer.enableWhen.contains($0) }", "enableWhen"),
        ("expressions of both must hold", "one of them", "\" and \"", "\" or \"",
         "let source = parts.count < 2 ? parts.first : parts.map { \"(\\($0))\" }.joined(separator: \" and \")"),
        ("what comes from the question above is not written again", "it is", "own.shown(with: outer, words) == self", "false",
         "if own.shown(with: outer, words) == self"),
    ],
    "FHIR/Draft+Under.swift": [
        ("conditions reach what stands under a question", "they do not", "outer.isConditional", "false"),
        ("they reach it however deep it stands", "only the first level", "handDown(&items[index].item, under, words)", "[]"),
    ],
    "Draft/Draft.swift": [
        ("numbers beyond what packs hold are taken away", "they are kept", "(value?.magnitude ?? 0) <= 1e12", "true"),
    ],
    "Draft/NameMaker.swift": [
        ("words of expressions are no names", "they are", "reserved.contains(name)", "false"),
        ("no name is given twice", "it is", "taken.contains(name)", "false"),
        ("-2 is not 2", "it is", "isNegative(text)", "false"),
        ("own words keep the name of their column", "an option may have it", "item.type == .openChoice", "false"),
    ],
    "Draft/SignedCodes.swift": [
        ("options with negative numbers count these", "nothing", "numbers.mapValues { Double($0) }", "[:]"),
        ("options that are ranked count nothing", "their numbers", "areRanked", "false", "if areRanked {"),
    ],
    "Logic/LogicTranslation+Division.swift": [
        ("what divides by 0 is endless as its dividend is", "it is always greater", "sign.hasPrefix(\"<\") ? \"<\" : \">\"", "\">\""),
        ("a quotient by 0 differs from every number", "it equals none and differs from none", "holds != isUnequal", "holds"),
        ("of REDCap a division by what may be 0 is told", "it is written", "dialect == .xlsForm", "true"),
        ("two quotients by what may be 0 are told", "they are written", "mayDivideByZero(other)", "false"),
        ("a 0 with a sign is told", "it is written", "hasOneZero(divisor)", "true"),
    ],
    "Logic/LogicTranslation.swift": [
        ("= '' as a condition is not answered", "it is answered", "false", "true", "comparison: .exists, answer: .boolean(false)"),
        ("conditions are taken when all are understood", "those that are", "conditions.count == parts.count", "true"),
        ("!= is no condition", "it is one", "sign != \"!=\"", "true"),
        ("= of several answers is no condition", "it is one", "isAmong || !asked.repeats", "true"),
        ("a rule is not judged without its own answer", "it is", "isOwnAlone", "true", "return isOwnAlone ?"),
    ],
    "Logic/LogicTranslation+Truth.swift": [
        ("or is or", "and", "!holds", "true", "logic.parts(joinedBy: \"or\"), isAnd: !holds"),
        ("a blank differs from every value", "from none", "(sign == \"!=\") == holds", "false", "let blankHolds = (sign == \"!=\") == holds"),
        ("not turns a comparison round", "it does not", "!holds", "holds", "truth(arguments[0], !holds)"),
        ("= '' is not answered", "it is answered", "(sign == \"=\") == holds", "(sign != \"=\") == holds", "return (sign == \"=\") == holds ? \"not exists"),
        ("a box that is 0 is not ticked", "it is", "right.isOne == (sign == \"=\")", "true"),
        ("of int(x) = 0 there is all between -1 and 1", "from 0 on", "number == 0", "false", "let isZero = number == 0"),
    ],
    "Logic/LogicTranslation+Values.swift": [
        ("a number begins with a digit", "with a point", "parts[0].isEmpty", "false"),
        ("what divides is never 0", "it may be", "!isNeverZero(right)", "false"),
    ],
    "REDCap/REDCapLogic.swift": [
        ("what is subtracted is in brackets", "it is not", "isProduct ? .whole : .product", "isProduct ? .whole : .sum"),
        ("a factor is in brackets", "it is not", "isProduct ? .product : .sum", ".sum", "one.within(isProduct ? .product : .sum)"),
        ("a blank differs from nothing", "from all", "actual == .notEqual || isDays", "isDays"),
    ],
    "REDCap/REDCapTag.swift": [
        ("a value in quotes is whole", "it ends at a blank", "quote == \"'\" || quote == \"\\\"\"", "false"),
        ("tags in the brackets of a condition are not for everybody", "they are", "rest.first == \"(\"", "false"),
    ],
    "REDCap/REDCapReading.swift": [
        ("ends of a slider are numbers", "infinity is one", "end.isFinite", "true"),
        ("required is read", "turned round", "row[.required].lowercased() == \"y\"", "row[.required].lowercased() != \"y\""),
        ("the largest value is read", "it is not", "bound(of: item, row, .most)", "nil"),
        ("cells that a field of its type does not have are told", "they are not", "![\"\", \"NA\"].contains(row[column])", "false"),
        ("fields in words are told", "what merely stands in brackets is, too", "fields.contains(String(name))", "true"),
    ],
    "REDCap/REDCapReading+Annotations.swift": [
        ("several choices may exclude all others", "one", "codes.split(separator: \",\", omittingEmptySubsequences: false)", "[codes[...]]",
         "for part in codes.split(separator: \",\", omittingEmptySubsequences: false) {"),
        ("what is taken from another field is no initial value", "it is", "!value.contains(\"[\")", "true"),
        ("an option that excludes others is read", "it is not", "true", "false", ".exclusive = true"),
        ("hidden is read", "it is not", "true", "false", "case \"@HIDDEN\", \"@HIDDEN-SURVEY\": item.hidden = true"),
        ("all boxes that are ticked at first are read", "those that are known", "values.count == given.count", "true"),
    ],
    "REDCap/REDCapReading+Choices.swift": [
        ("of boxes several may be ticked", "one", "type == \"checkbox\"", "false", "(.choice, type == \"checkbox\")"),
    ],
    "REDCap/REDCapExport.swift": [
        ("any of several conditions is written", "as all of them", "item.enableBehavior == .any", "false", "item.enableBehavior == .any ? \" or \""),
    ],
    "REDCap/REDCapWords.swift": [
        ("an amount in another unit than the field's is left out", "it is written", "measure.unit != unit", "false"),
        ("not answered is written", "as answered", "condition.answer != .boolean(false)", "condition.answer == .boolean(false)"),
        ("a box that is not ticked is written", "as ticked", "condition.comparison == .notEqual", "false", "condition.comparison == .notEqual ? \"0\""),
    ],
    "Sheet/WorkbookCells.swift": [
        ("a workbook has so many cells", "as many as it likes", "room.cells >= 0", "true"),
        ("a formula without a result is told", "it is blank without a word", "isFormula", "false", "if isFormula, type"),
        ("a date is told from a number", "it is a number", "moments.text(number, style: style)", "nil as String?"),
    ],
    "Sheet/WorkbookMoments.swift": [
        ("what a format quotes is no date", "it is one", "rest.drop { $0 != \"\\\"\" }.dropFirst()", "rest"),
        ("days may be counted from 1904", "they are from 1900", "isFrom1904", "false", "if isFrom1904"),
        ("before March 1900 the count is one behind", "it is not", "day < 60", "false"),
    ],
    "Sheet/Grid.swift": [
        ("a quote is closed", "it may take in the rest", "!isQuoted", "true", "guard !isQuoted else"),
        ("texts are of UTF-8", "what is not is mended", "String(validating: bytes, as: UTF8.self) == nil", "false",
         "guard String(validating: bytes, as: UTF8.self) == nil else"),
    ],
    "XLSForm/XLSFormRange.swift": [
        ("a range has its start", "it starts at 1", "value", "1", "start = value"),
    ],
    "XLSForm/XLSFormReading+Unused.swift": [
        ("choices that are left out are told", "they are not", "!names.insert($0.name).inserted", "false"),
        ("conditions of being required are told", "they are not", "!Self.yes.contains(cell)", "false"),
        ("a disabled row is not asked", "it is", "Self.yes.contains(survey.cell(row, \"disabled\").lowercased())", "false"),
        ("a row without a type is told", "it is not", "type.word.isEmpty", "false"),
        ("what devices would fill in is told", "what is read is, too", "!Self.isSynonym(heading)", "true"),
    ],
    "XLSForm/XLSFormLists.swift": [
        ("choices without a name are told", "they are not", "row.cells.contains(where: { $0.nonBlank != nil })", "false"),
    ],
    "XLSForm/XLSFormReading.swift": [
        ("all choices that stand there at first are read", "those that are known", "values.count == names.count", "true"),
    ],
    "XLSForm/XLSFormReading+Choices.swift": [
        ("of select multiple several may be chosen", "one", "isMany", "false", "item.repeats = isMany"),
        ("a random order is read", "it is not",
         "survey.cell(row, \"parameters\").lowercased().contains(\"randomize=true\")", "false"),
        ("or_other is read", "it is not", "type.hasOther", "false", "type.hasOther ? .openChoice"),
    ],
}
