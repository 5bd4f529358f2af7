"""An independent examiner of synthetic dialogues.

It knows the text, the events, the ledger rows and the people, and what a probe claims. It shares
no sentence form, no derivation and no plan with the generator: dates, values, persons and the
meaning of a question are worked out anew here, so that a mistake must be made twice to pass.
"""
