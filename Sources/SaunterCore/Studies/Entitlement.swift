extension Study {
    /// Whether a questionnaire needs an entitlement that is not in `entitlements`. Its form is then never served.
    package func isLocked(_ questionnaire: String, for entitlements: Set<String>) -> Bool { false }
}
