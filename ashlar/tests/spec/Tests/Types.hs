{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -fdefer-type-errors -Wno-deferred-type-errors #-}

-- |
-- Module      : Tests.Types
-- Description : What must not compile
--
-- With type errors deferred, a program that must not compile is one that throws
-- a 'TypeError' when it is run.
module Tests.Types (tests) where

import Ashlar.Get
import Ashlar.Get.ST
import Control.Exception (TypeError (..), evaluate, try)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Primitive (primitive)
import Data.Coerce (coerce)
import Data.Primitive.MutVar (newMutVar, readMutVar)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "must not compile"
    [ rejected "IO in Get" (run (liftIO (pure ()) :: Get ())),
      rejected "PrimMonad for Get" (run (primitive (\s -> (# s, () #)) :: Get ())),
      rejected "MonadIO for GetST" (run (runGetST (liftIO (pure ())))),
      rejected "a variable that leaves its GetST" (run (runGetST (newMutVar 'a') >>= \var -> runGetST (readMutVar var))),
      rejected "the state of one GetST in another" (run (runGetST (newMutVar 'a' >>= \var -> liftGet (runGetST (readMutVar var))))),
      rejected "coercing the state" (run (runGetST coerced))
    ]

run :: Get a -> Either DecodeError a
run g = runGet g mempty

coerced :: GetST s Char
coerced = coerce (pure 'a' :: GetST () Char)

rejected :: String -> Either DecodeError a -> TestTree
rejected name result = testCase name $ do
  r <- try (evaluate result)
  case r of
    Left (TypeError _) -> pure ()
    Right _ -> assertFailure "it compiled"
