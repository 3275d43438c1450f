-- |
-- Module      : Late
-- Description : Rows for functions that some versions of a library do not have
module Late (since) where

import Language.Haskell.TH

-- | The rows if a function of this name is in scope, else none. Their use of the function is
-- @$(dyn name)@.
since :: String -> Q Exp -> Q Exp
since name rows = lookupValueName name >>= maybe (listE []) (const rows)
