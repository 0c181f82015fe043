import SaunterCore

extension Item {
    /// The answer that another format writes as this text. Nil for a text that is not an answer, and for instants,
    /// because the dates with times of other formats have no zone.
    func answer(importing text: String) -> Answer? {
        let definition = type.definition
        return definition.column == .instant ? nil : text.nonBlank.flatMap { definition.answer(text: $0) }
    }
}
