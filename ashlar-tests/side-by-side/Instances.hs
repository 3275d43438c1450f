{-# LANGUAGE TemplateHaskell #-}

-- |
-- Module      : Instances
-- Description : Whether our classes have the instances of the originals
--
-- The compiler tells what instances there are, of ours when this is compiled, of the originals when
-- it runs. As in "Exports", a class is compared if a compiler of this version is on the path and
-- has the library.
module Instances (differences, leftOutTable) where

import qualified Ashlar.Compat.Binary as Binary
import qualified Ashlar.Compat.Cereal as Cereal
import qualified Ashlar.Compat.Store as Store
import Data.List (intercalate, isPrefixOf)
import Data.Version (showVersion)
import Heads
import System.Directory (findExecutable)
import System.Exit (ExitCode (..))
import System.Info (fullCompilerVersion)
import System.Process (readProcessWithExitCode)

-- | Instances that are left out on purpose.
data LeftOut = LeftOut
  { ofClass :: String,
    which :: [Which],
    why :: String
  }

data Which
  = -- | A type. Its arguments do not matter.
    Type String
  | -- | All types of a module, or of those whose names begin so: what to call them.
    TypesOf String String

leftOut :: [LeftOut]
leftOut =
  [ LeftOut
      "Binary"
      ( map
          Type
          [ "KindRep",
            "Levity",
            "RuntimeRep",
            "SomeTypeRep",
            "TyCon",
            "TypeLitSort",
            "TypeRep",
            "VecCount",
            "VecElem"
          ]
      )
      "types that are read from input would be trusted to be those of the program",
    LeftOut
      "Store"
      (map Type ["Fixed", "Integer", "Natural"])
      "the memory of GMP's numbers, which depends on the compiler",
    LeftOut
      "Store"
      [TypesOf "Data.Time." "time: `Day`, `UTCTime` and the others"]
      "most consist of `Integer`",
    LeftOut
      "Store"
      [ TypesOf "Data.Vector.Primitive" "`Vector` of `Data.Vector.Primitive`",
        TypesOf "Data.Vector.Storable" "`.Storable`",
        TypesOf "Data.Vector.Unboxed" "`.Unboxed`",
        Type "PrimStorable"
      ]
      "memory as it is, which the instances of other classes describe",
    LeftOut
      "Store"
      [TypesOf "Language.Haskell.TH" "`Language.Haskell.TH`"]
      "they change with the compiler",
    LeftOut
      "Store"
      (map Type ["HashMap", "HashSet", "PortNumber", "TimeSpec"])
      "in unordered-containers, network and clock, which we do not depend on",
    LeftOut "Store" (map Type ["ConstPtr", "IoSubSystem"]) "only some versions of base have them"
  ]

-- | The rows of the table in @docs/porting.md@.
leftOutTable :: [String]
leftOutTable =
  [ concat ["| `", ofClass l, "` | ", intercalate ", " (map name (which l)), " | ", why l, " |"]
    | l <- leftOut
  ]
  where
    name w = case w of
      Type t -> "`" ++ t ++ "`"
      TypesOf _ called -> called

-- | A line for each instance that one side has and the other has not, and for each that is said to
-- be left out and is not.
differences :: IO [String]
differences = do
  ghc <- findExecutable "ghc"
  (_, version, _) <- maybe (pure (ExitFailure 1, "", "")) (\g -> run g ["--numeric-version"] "") ghc
  if concat (lines version) /= showVersion fullCompilerVersion
    then pure []
    else concat <$> mapM ofOriginal classes
  where
    run = readProcessWithExitCode
    ofOriginal (c, original, ours) = do
      (_, out, _) <-
        run "ghc" (words "--interactive -ignore-dot-ghci -v0 -package-env -") (script c original)
      pure $ case [(m, unwords t) | m : t <- map words (lines out)] of
        [] -> [original ++ " is not there, but comes with the compiler" | c == "Binary"]
        theirs -> compared c (map known theirs) ours
    -- (Types that have no module.)
    known (m, t) = if m == "-" then ("", t) else (m, t)
    script c original =
      unlines
        [ ":load side-by-side/Heads.hs",
          ":set -XTemplateHaskell",
          "import " ++ original ++ " (" ++ c ++ ")",
          "putStr $(headsText ''" ++ c ++ ")"
        ]
    classes =
      [ ("Binary", "Data.Binary", $(heads ''Binary.Binary)),
        ("Serialize", "Data.Serialize", $(heads ''Cereal.Serialize)),
        ("Store", "Data.Store", $(heads ''Store.Store))
      ]

compared :: String -> [Head] -> [Head] -> [String]
compared c theirs ours =
  [ c ++ " of " ++ t ++ " is missing"
    | h@(_, t) <- theirs,
      t `notElem` map snd ours,
      not (any (`covers` h) mine)
  ]
    ++ [ c ++ " of " ++ t ++ " is there, and is said to be left out"
         | h@(_, t) <- ours,
           any (`covers` h) mine
       ]
    ++ [ c ++ " has nothing of: " ++ why l
         | l <- mine,
           not (any (covers l) theirs),
           -- On some compilers there is none.
           null [() | Type "ConstPtr" <- which l]
       ]
  where
    mine = [l | l <- leftOut, ofClass l == c]

covers :: LeftOut -> Head -> Bool
covers l (m, t) = any one (which l)
  where
    one w = case w of
      Type name -> take 1 (words t) == [name]
      TypesOf prefix _ -> prefix `isPrefixOf` m
