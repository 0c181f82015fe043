import SaunterCore

extension Study {
    /// The questionnaires that simulated participants answer at any time. They have no entitlements, so what needs one
    /// is locked for them.
    var entriesOfSimulation: [AnyTimeRule] { anyTime.filter { $0.entitlement == nil } }
}
