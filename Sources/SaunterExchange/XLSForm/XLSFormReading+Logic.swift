import SaunterCore

/// When a row is shown, and what its answer must be.
extension XLSFormReading {
    mutating func logic(_ items: inout [Item]) {
        for index in items.indices {
            if let row = rowOf[items[index].linkId] {
                relevance(of: &items[index], row)
                constraint(on: items[index], row)
            }
            logic(&items[index].item)
        }
    }

    private mutating func relevance(of item: inout Item, _ row: Grid.Row) {
        guard let source = survey.cell(row, "relevant").nonBlank else { return }
        let translation = LogicTranslation(fields: fields, options: options, instances: instances)
        do throws(LogicFault) {
            switch try translation.rule(source) {
            case .conditions(let conditions, let behavior):
                (item.enableWhen, item.enableBehavior) = (conditions, behavior)
            case .expression(let expression): item.enableWhenExpression = expression
            }
        } catch {
            remark(row, "relevant", "it is always shown: \(error.detail)")
        }
    }

    private mutating func constraint(on item: Item, _ row: Grid.Row) {
        guard let source = survey.cell(row, "constraint").nonBlank, item.type.isQuestion else { return }
        let translation = LogicTranslation(
            fields: fields, options: options, own: item, instances: instances)
        do throws(LogicFault) {
            let expression = try translation.constraint(source)
            guard constraints.count < Constraint.maximumNumber else {
                return remark(
                    row, "constraint",
                    "kept without effect: a questionnaire has at most \(Constraint.maximumNumber) rules")
            }
            constraints.append(
                Constraint(key: item.linkId, severity: .error, expression: expression, item: item.linkId))
            let messages = languages.words(row, survey, "constraint_message")
            for tag in languages.tags {
                text[tag]?.constraints[item.linkId] =
                    messages[tag] ?? messages.sorted { $0.key < $1.key }.first?.value ?? source
            }
        } catch {
            remark(row, "constraint", "it is not checked: \(error.detail)")
        }
    }
}
