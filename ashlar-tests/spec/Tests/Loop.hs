-- |
-- Module      : Tests.Loop
-- Description : A loop in a test
module Tests.Loop (forEach) where

import Control.Monad (forM_, (>=>))

-- | 'forM_' for large things. The body is called while the loop runs. By 'forM_', what
-- it defines before its first action becomes a part of the test, which keeps it to the
-- end of the suite (without optimisation).
forEach :: [a] -> (a -> IO ()) -> IO ()
forEach xs body = forM_ xs (pure >=> body)
