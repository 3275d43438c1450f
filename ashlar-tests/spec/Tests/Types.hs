{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}
{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -fdefer-type-errors -Wno-deferred-type-errors #-}

-- |
-- Module      : Tests.Types
-- Description : Programs that must not compile
--
-- Type errors are deferred, so a program that must not compile throws a 'TypeError' when it runs.
-- The programs of the group "must compile" are the same but for the mistake. They show that the
-- others are rejected for that mistake alone.
module Tests.Types (tests) where

import Ashlar.Codec (Codec, Format, codec, encode)
import Ashlar.Codec.Combinators (formatGet)
import Ashlar.Get
import Ashlar.Get.ST
import Ashlar.View (Of, View, constructor, decodeView, field, position, view)
import Control.Exception (TypeError (..), evaluate, try)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Primitive (primitive)
import Data.Coerce (coerce)
import Data.List (isInfixOf)
import Data.Primitive.MutVar (newMutVar, readMutVar)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "types"
    [ testGroup
        "must not compile"
        [ rejected "IO in Get" (run (liftIO (pure ()) :: Get ())),
          rejected "PrimMonad for Get" (run (primitive (\s -> (# s, () #)) :: Get ())),
          rejected "MonadIO for GetST" (run (runGetST (liftIO (pure ())))),
          rejected
            "a variable that leaves its GetST"
            (run (runGetST (newMutVar 'a') >>= \var -> runGetST (readMutVar var))),
          rejected
            "the state of one GetST in another"
            (run (runGetST (newMutVar 'a' >>= \var -> liftGet (runGetST (readMutVar var))))),
          rejected "coercing the state" (run (runGetST coerced)),
          rejected "coercing a format" (run (formatGet coercedFormat)),
          rejectedSaying
            "has no field heigth"
            "width, height"
            noField,
          rejectedSaying "has no field number 3" "Box" noPosition,
          rejectedSaying
            "several constructors"
            "Nothing, Just"
            noConstructor,
          rejectedSaying
            "has no constructor None"
            "Nothing, Just"
            noSuchConstructor
        ],
      testGroup
        "must compile"
        [ accepted "a value in Get" () (run (pure () :: Get ())),
          accepted "PrimMonad for GetST" () (run (runGetST (primitive (\s -> (# s, () #))))),
          accepted "a decoder in GetST" () (run (runGetST (liftGet (pure ())))),
          accepted "a variable in its GetST" 'a' (run (runGetST (newMutVar 'a' >>= readMutVar))),
          accepted
            "a GetST in another"
            'a'
            (run (runGetST (liftGet (runGetST (newMutVar 'a' >>= readMutVar))))),
          accepted "coercing the result" (Char' 'a') (run (runGetST coercedResult)),
          accepted "a format" () (run (formatGet (codec :: Format ()))),
          accepted "a field that a view has" 'b' (box >>= decodeView . field @"height"),
          accepted "a position that a view has" 'b' (box >>= decodeView . position @2),
          accepted
            "a constructor that a view has"
            'b'
            (maybeBox >>= maybe (Right 'a') heightOfFirst . constructor @"Just")
        ]
    ]

run :: Get a -> Either DecodeError a
run g = runGet g mempty

coerced :: GetST s Char
coerced = coerce (pure 'a' :: GetST () Char)

newtype Char' = Char' Char
  deriving stock (Eq, Show)

-- So that 'HasFormat' cannot be derived by newtype.
coercedFormat :: Format Char'
coercedFormat = coerce (codec :: Format Char)

coercedResult :: forall s. GetST s Char'
coercedResult = coerce (pure 'a' :: GetST s Char)

rejected :: String -> Either DecodeError a -> TestTree
rejected name result = testCase name $ do
  r <- try (evaluate result)
  case r of
    Left (TypeError _) -> pure ()
    Right _ -> assertFailure "it compiled"

-- The message says what is wrong, and what there is.
rejectedSaying :: String -> String -> Either DecodeError a -> TestTree
rejectedSaying wrong there result = testCase wrong $ do
  r <- try (evaluate result)
  case r of
    Left (TypeError message) ->
      assertBool message (wrong `isInfixOf` message && there `isInfixOf` message)
    Right _ -> assertFailure "it compiled"

data Box = Box {width :: Char, height :: Char}
  deriving stock (Generic)
  deriving anyclass (Codec)

box :: Either DecodeError (View Box)
box = view (encode (Box 'a' 'b'))

-- Each mistake in a function of its own, which alone throws.
noField, noPosition, noConstructor, noSuchConstructor :: Either DecodeError Char
noField = box >>= decodeView . field @"heigth"
noPosition = box >>= decodeView . position @3
noConstructor = maybeBox >>= decodeView . field @"width"
noSuchConstructor =
  maybeBox >>= maybe (Right 'a') (decodeView . position @1) . constructor @"None"

heightOfFirst :: View (Of "Just" (Maybe Box)) -> Either DecodeError Char
heightOfFirst = decodeView . field @"height" . position @1

maybeBox :: Either DecodeError (View (Maybe Box))
maybeBox = view (encode (Just (Box 'a' 'b')))

-- The positive control: a program that compiles, and its result.
accepted :: (Eq a, Show a) => String -> a -> Either DecodeError a -> TestTree
accepted name expected result = testCase name $ do
  r <- try (evaluate result)
  case r of
    Left (TypeError message) -> assertFailure message
    Right x -> x @?= Right expected
